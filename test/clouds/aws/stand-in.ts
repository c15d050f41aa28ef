import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EC2 } from '@aws-sdk/client-ec2';
import { FaultScript, SLOW_MS } from '../fault-script.js';
import type { Hosts } from '../machines.js';
import { type Answer, Cloud } from './cloud.js';
import { EC2Error } from './ec2-error.js';
import { formOf } from './form.js';
import { type Moto, startMoto } from './moto.js';
import { getProducts } from './price-list.js';

// The SDK warns of every Node before 22.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

/** Key that belongs neither to the account nor to a person. Moto accepts any key. */
const STRANGE_KEY = /Credential=(?!AKIASTANDIN\/|AKIAPERSON\/)/;
const NOT_KNOWN = new EC2Error('AuthFailure', 'AWS was not able to validate the provided access credentials', 401);

export interface AwsStandIn {
  url: string;
  faults: FaultScript;
  cloud: Cloud;
  /** Environment variables that describe the account to the provider. */
  env: Record<string, string>;
  /** Returns a client of the stand-in, like a person with the AWS console. */
  client(region?: string): Promise<EC2>;
  /** Returns a client of moto itself, without faults and log. */
  behind(): Promise<EC2>;
  /** Stops the stand-in. Throws if a request violated the model of EC2. */
  close(): Promise<void>;
}

/**
 * Starts EC2 for tests on 127.0.0.1. A proxy in front of moto stores client tokens and adds placement groups and
 * throttling. It checks each request against the model, injects scripted faults, and puts hosts behind the instances.
 * It is only a test tool: moto differs from AWS.
 */
export async function startAws({
  hosts = 'none',
  moto,
  regions,
}: {
  hosts?: Hosts;
  moto?: Moto;
  regions?: string[];
} = {}): Promise<AwsStandIn> {
  const behind = moto ?? (await startMoto());
  const faults = new FaultScript();
  const account = `${Math.floor(1e11 + Math.random() * 8.9e11)}`;
  const cloud = new Cloud({ moto: behind.url, account, hosts, ...(regions ? { regions } : {}) });

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming);
    const form = formOf(body, incoming.headers.authorization);
    const prices = String(incoming.headers['x-amz-target'] ?? '').endsWith('.GetProducts');
    const fault = faults.take('POST', `/${prices ? 'GetProducts' : form.action}`);
    if (fault?.kind === 'cut-before') return void incoming.socket.destroy();
    if (fault?.kind === 'busy') return send(response, busy(fault.retryAfterS ?? 1));
    if (fault?.kind === 'broken')
      return send(response, refusal(new EC2Error('InternalError', 'An internal error has occurred', 500)));
    if (fault?.kind === 'slow') await sleep(SLOW_MS);
    if (STRANGE_KEY.test(incoming.headers.authorization ?? '')) return send(response, refusal(NOT_KNOWN));
    const options = { stale: fault?.kind === 'stale', quota: fault?.kind === 'quota' };
    const answer = prices
      ? { status: 200, body: JSON.stringify(getProducts(JSON.parse(body))) }
      : await cloud.answer(form, body, incoming.headers, options).catch((error: unknown) => {
          if (error instanceof EC2Error) return refusal(error);
          throw error;
        });
    if (fault?.kind === 'cut-after') return void incoming.socket.destroy();
    send(response, answer, fault?.kind === 'truncated');
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: Error) => send(response, refusal(new EC2Error('StandIn', error.stack ?? '', 500))));
  });
  // No time-out: one that expires while a busy client reuses the connection would be an unscripted fault.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    faults,
    cloud,
    env: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIASTANDIN',
      AWS_SECRET_ACCESS_KEY: randomUUID(),
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    async client(region = 'eu-central-1') {
      const { EC2: Client } = await import('@aws-sdk/client-ec2');
      return new Client({ endpoint: url, region, credentials: { accessKeyId: 'AKIAPERSON', secretAccessKey: 'any' } });
    },
    async behind() {
      const { EC2: Client } = await import('@aws-sdk/client-ec2');
      const ec2 = new Client({
        endpoint: behind.url,
        region: 'eu-central-1',
        credentials: { accessKeyId: 'AKIAPERSON', secretAccessKey: 'any' },
      });
      ec2.middlewareStack.add(
        (next) => (input) => {
          const { headers } = input.request as { headers: Record<string, string> };
          headers['x-moto-account-id'] = account;
          return next(input);
        },
        { step: 'build' },
      );
      return ec2;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await cloud.close();
      if (!moto) await behind.stop();
      if (cloud.violations.length > 0)
        throw new Error(`requests that the model of EC2 does not know:\n${cloud.violations.join('\n')}`);
    },
  };
}

const refusal = (error: EC2Error): Answer => ({ status: error.status, body: error.body });

/** EC2 throttles with HTTP 503 and without a time. The time lets tests detect early retries. */
const busy = (retryAfterS: number): Answer => ({
  ...refusal(new EC2Error('RequestLimitExceeded', 'Request limit exceeded.', 503)),
  headers: { 'retry-after': String(retryAfterS) },
});

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer, halved = false): void {
  response.writeHead(status, { 'content-type': 'text/xml;charset=UTF-8', 'x-amzn-requestid': randomUUID(), ...headers });
  response.end(halved ? body.slice(0, Math.floor(body.length / 2)) : body);
}
