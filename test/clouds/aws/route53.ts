import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FaultScript } from '../fault-script.js';
import { type Moto, startMoto } from './moto.js';

// The SDK warns of every Node before 22.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

export interface Route53StandIn {
  url: string;
  /** `quota` means a pending change of the same zone (`PriorRequestNotComplete`). */
  faults: FaultScript;
  /** Creates a zone, like the console. */
  addZone(name: string, isPrivate?: boolean): Promise<void>;
  /** Sets records like the console, without the platform. */
  set(name: string, type: string, value: string): Promise<void>;
  /** Returns the values of a record set, or undefined if it does not exist. */
  values(name: string, type: string): Promise<string[] | undefined>;
  close(): Promise<void>;
}

/** Name and type of each record set that a request creates. */
const CREATES = /<Action>CREATE<\/Action><ResourceRecordSet><Name>([^<]*)<\/Name><Type>([^<]*)<\/Type>/g;

/**
 * Starts Route 53 for tests on 127.0.0.1: moto behind a proxy with scripted faults. It is only a test tool: moto
 * differs from AWS.
 */
export async function startRoute53(): Promise<Route53StandIn> {
  const moto: Moto = await startMoto();
  const faults = new FaultScript();
  const server = createServer(async (incoming, response) => {
    const body = await textOf(incoming);
    const fault = faults.take(incoming.method ?? 'GET', incoming.url ?? '/');
    const say = (status: number, code: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'text/xml', ...headers }).end(refusal(code));
    if (fault?.kind === 'cut-before') return void incoming.socket.destroy();
    if (fault?.kind === 'busy') return void say(400, 'Throttling', { 'retry-after': String(fault.retryAfterS ?? 1) });
    if (fault?.kind === 'broken') return void say(500, 'InternalError');
    if (fault?.kind === 'quota') return void say(400, 'PriorRequestNotComplete');
    // Moto would overwrite the record set, while AWS makes none of the changes.
    for (const [, name = '', type = ''] of body.matchAll(CREATES))
      if (await valuesOf(name.replace(/\.$/, ''), type)) return void say(400, 'InvalidChangeBatch');
    const { host: _, connection: __, 'content-length': ___, ...headers } = incoming.headers;
    const answer = await fetch(moto.url + incoming.url, {
      method: incoming.method ?? 'GET',
      headers: { ...(headers as Record<string, string>), host: 'route53.amazonaws.com' },
      ...(body && { body }),
    });
    const text = await answer.text();
    if (fault?.kind === 'cut-after') return void incoming.socket.destroy();
    const sent = fault?.kind === 'truncated' ? text.slice(0, text.length / 2) : text;
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/xml' }).end(sent);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { Route53 } = await import('@aws-sdk/client-route-53');
  const credentials = { accessKeyId: 'AKIAPERSON', secretAccessKey: 'x' };
  const client = new Route53({ region: 'us-east-1', endpoint: moto.url, credentials });
  const idOf = async (name: string): Promise<string> => {
    const { HostedZones = [] } = await client.listHostedZones({});
    const zone = HostedZones.find(({ Name = '', Config }) => !Config?.PrivateZone && `${name}.`.endsWith(Name));
    return zone?.Id ?? '';
  };
  const valuesOf = async (name: string, type: string): Promise<string[] | undefined> => {
    const { ResourceRecordSets = [] } = await client.listResourceRecordSets({ HostedZoneId: await idOf(name) });
    const set = ResourceRecordSets.find((one) => one.Name === `${name}.` && one.Type === type);
    return set?.ResourceRecords?.map(({ Value = '' }) => Value).sort();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    async addZone(name, isPrivate = false) {
      await client.createHostedZone({
        Name: name,
        CallerReference: `${name}-${isPrivate}`,
        HostedZoneConfig: { PrivateZone: isPrivate },
        ...(isPrivate && { VPC: { VPCRegion: 'us-east-1', VPCId: 'vpc-1' } }),
      });
    },
    async set(name, Type, value) {
      const ResourceRecordSet = { Name: name, Type: Type as 'A', TTL: 60, ResourceRecords: [{ Value: value }] };
      const Changes = [{ Action: 'UPSERT' as const, ResourceRecordSet }];
      await client.changeResourceRecordSets({ HostedZoneId: await idOf(name), ChangeBatch: { Changes } });
    },
    values: valuesOf,
    async close() {
      server.closeAllConnections();
      server.close();
      await moto.stop();
    },
  };
}

const refusal = (code: string): string =>
  `<?xml version="1.0"?><ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>The stand-in was told to say so</Message></Error><RequestId>stand-in</RequestId></ErrorResponse>`;

async function textOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
