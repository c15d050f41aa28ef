import { isHost } from '../../core/definition/addresses.js';
import { absentError, inputError } from '../../core/errors.js';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { endpointText, pageOf } from '../../core/infra/reach.js';
import type { Endpoint } from '../../core/taskserv/taskserv.js';
import { clipText } from '../../core/text.js';
import { parseAskedScript } from './asked-script.js';
import { sshFailed } from './reached-server.js';
import { runThere } from './run-there.js';

export const OPEN_A_TUNNEL = 'open a tunnel';

/** Target of a tunnel: a port of the server, and the address that listens on it. */
export interface Target {
  host: string;
  port: number;
  /** `http of haproxy`, if a taskserv was named or is known to have this port. */
  what?: string;
  /** Path of an HTTP endpoint. */
  path?: string;
}

const LOOPBACK = ['127.0.0.1', '0.0.0.0', '*', '[::]'];

/** Parses a port number. Returns undefined if the text is not a port number. */
export function parsePort(text: string): number | undefined {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

/**
 * Returns the port for a number or a taskserv of the server (`postgres`, `haproxy/stats`).
 *
 * @throws an input error `unknown-port` with the available ports
 */
export function findNamedPort({ definition }: Pick<Inventory, 'definition'>, server: string, asked: string): Omit<Target, 'host'> {
  const services = definition?.servers.find(({ name }) => name === server)?.taskservs ?? [];
  const offered = services.flatMap((spec) =>
    spec.endpoints
      .filter(({ protocol = 'tcp' }) => protocol === 'tcp')
      .map((endpoint) => ({ spec, taskserv: spec.name, endpoint })),
  );
  const port = parsePort(asked);
  const [taskserv, endpoint] = asked.split('/');
  const fitting = offered.filter((one) =>
    port === undefined
      ? one.taskserv === taskserv && (endpoint === undefined || one.endpoint.name === endpoint)
      : one.endpoint.port === port,
  );
  const found = fitting.find((one) => !isMetrics(one.endpoint)) ?? fitting[0];
  if (found) {
    const path = pageOf(found.endpoint, found.spec);
    const what = endpointText({ taskserv: found.taskserv, endpoint: found.endpoint.name });
    return { port: found.endpoint.port, what, ...(path === undefined ? {} : { path }) };
  }
  if (port !== undefined) return { port };
  const names = [...new Set(offered.map(({ taskserv, endpoint }) => `${taskserv}/${endpoint.name}`))];
  throw inputError({
    code: 'unknown-port',
    what: OPEN_A_TUNNEL,
    on: `${server} ${clipText(asked, 40)}`,
    why: 'the target is neither a port from 1 to 65535 nor a taskserv with a port on the server',
    ...(names.length > 0 ? { hint: `there are ${names.join(', ')}` } : {}),
  });
}

const isMetrics = ({ name }: Endpoint): boolean => name === 'metrics';

/**
 * Determines on which address of the server a port is open: loopback, or only the private one.
 *
 * @throws an error `host-unreachable` or `nothing-listens`
 */
export async function findListeningAddress(
  server: InventoryServer,
  port: number,
  { keys, signal }: { keys: string; signal?: AbortSignal },
): Promise<string> {
  const how = { keys, what: OPEN_A_TUNNEL, signal };
  const { script, answer } = parseAskedScript(`ss -Hltn 'sport = :${port}' || echo unknown`);
  const { exit, reached, stdout, stderr } = await runThere(server, how, ['sh', '-c', script]);
  if (!reached) {
    const said = stderr.text.trim();
    throw sshFailed(server, OPEN_A_TUNNEL, said === '' ? 'ssh found no connection' : clipText(said, 300));
  }
  const lines = (answer(stdout.text) ?? '').split('\n').filter((line) => line.trim() !== '');
  // Without `ss` on the host, only a connection shows whether the port is open.
  if (exit !== 0 || lines.includes('unknown')) return LOOPBACK[0] as string;
  const addresses = lines.map((line) => (line.trim().split(/\s+/)[3] ?? '').replace(/:\d+$/, '').replace(/%[\w.-]+$/, ''));
  if (addresses.some((address) => LOOPBACK.includes(address))) return LOOPBACK[0] as string;
  const [address] = addresses.map((address) => address.replace(/^\[(?:::ffff:)?(.*)\]$/, '$1')).filter(isHost);
  if (address !== undefined) return address;
  throw absentError({
    code: 'nothing-listens',
    what: OPEN_A_TUNNEL,
    on: `${server.name} port ${port}`,
    why: 'no service listens on this port',
    hint: `provisioning server status ${server.name}`,
  });
}
