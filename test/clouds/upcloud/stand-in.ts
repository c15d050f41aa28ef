import type { Hosts } from '../machines.js';
import { type StandInAnswer, type StandInRequest, type StandInServer, serveStandIn } from '../stand-in-server.js';
import { type Account, emptyAccount, settle } from './account.js';
import { addressRoutes } from './addresses.js';
import { Refusal, refused } from './answers.js';
import { catalogRoutes } from './catalog.js';
import { loadFacts } from './facts.js';
import { gatewayRoutes } from './gateways.js';
import { groupRoutes } from './groups.js';
import { networkRoutes } from './networks.js';
import { routerRoutes } from './routers.js';
import { serverRoutes } from './servers.js';
import { storageRoutes } from './storages.js';
import { tagRoutes } from './tags.js';
import type { Delays, Routes, World } from './world.js';

export interface UpCloudStandIn extends StandInServer {
  token: string;
  world: World;
  /** Requests that UpCloud's facts do not include. Each is our fault. */
  violations: string[];
}

const routes: Routes = {
  ...catalogRoutes,
  ...serverRoutes,
  ...storageRoutes,
  ...networkRoutes,
  ...routerRoutes,
  ...addressRoutes,
  ...groupRoutes,
  ...gatewayRoutes,
  ...tagRoutes,
};
const READS = 'GET';
const TOKEN = 'ucat_STANDIN';

/**
 * Starts a test tool that answers like UpCloud's API for one account. Its servers are containers, or only addresses
 * with `hosts: 'none'`.
 */
export async function startUpCloud({
  hosts = 'none',
  delays = {},
  cores = 1000,
}: {
  hosts?: Hosts;
  delays?: Partial<Delays>;
  cores?: number;
} = {}): Promise<UpCloudStandIn> {
  const world: World = {
    account: emptyAccount(),
    machines: new Map(),
    hosts,
    delays: { boot: 30, stop: 15, storage: 0, relocation: 15, gateway: 30, ...delays },
    limits: { cores },
    quota: false,
    userData: new Map(),
  };
  const check = loadFacts();
  const violations: string[] = [];
  /** State before the last change. */
  let before: Account = emptyAccount();
  /** Changes run one after the other. */
  let last: Promise<unknown> = Promise.resolve();

  const respond = async (request: StandInRequest): Promise<StandInAnswer> => {
    settle(world.account);
    const wrong = check(request.method, request.path, request.body);
    const [route, ids] = match(request.method, request.path);
    if (wrong || !route) {
      violations.push(wrong ?? `${request.method} ${request.path} is not one of the stand-in's`);
      throw new Refusal(400, 'REQUEST_INVALID', `THE STAND-IN REFUSES: ${violations.at(-1)}`);
    }
    const authorization = request.headers.authorization;
    if (authorization !== `Bearer ${TOKEN}` && authorization !== `Basic ${btoa('user:password')}`)
      throw new Refusal(401, 'AUTHENTICATION_FAILED', 'Authentication failed using the given username and password.');
    if (request.method !== READS) before = structuredClone(world.account);
    const seen =
      request.stale && request.method === READS ? { ...world, account: before } : { ...world, quota: request.quota || world.quota };
    return routes[route]?.(seen, { ids, query: request.query, body: bodyOf(request) }) ?? { status: 500 };
  };

  const server = await serveStandIn(
    (request) => {
      const turn = last
        .then(() => respond(request))
        .catch((error) => {
          if (error instanceof Refusal) return refused(error);
          throw error;
        });
      last = turn.catch(() => {});
      return turn;
    },
    (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: { error: { error_code: 'TOO_MANY_REQUESTS', error_message: 'Too many requests.' } },
    }),
    () => ({ status: 500, body: { error: { error_code: 'SERVICE_ERROR', error_message: 'Internal server error.' } } }),
  );
  return {
    ...server,
    token: TOKEN,
    world,
    violations,
    async close() {
      await server.close();
      await Promise.all([...world.machines.values()].map((machine) => machine.remove()));
      if (violations.length > 0) throw new Error(`requests that UpCloud does not know: ${violations.join('; ')}`);
    },
  };
}

/** Returns the route of a path, and the values for `{}`. */
function match(method: string, path: string): [route: string | undefined, ids: string[]] {
  const parts = path.replace(/\/$/, '').split('/');
  for (const route of Object.keys(routes)) {
    const [verb, pattern = ''] = route.split(' ');
    const wanted = pattern.split('/');
    if (verb !== method || wanted.length !== parts.length) continue;
    if (wanted.every((part, index) => part === '{}' || part === parts[index]))
      return [route, parts.filter((_, index) => wanted[index] === '{}').map(decodeURIComponent)];
  }
  return [undefined, []];
}

/** Returns the content of the body's only envelope. Gateways and relocation use no envelope. */
function bodyOf({ path, body }: StandInRequest): Record<string, unknown> {
  if (/^\/1\.3\/gateway\b|\/relocate$/.test(path)) return body as Record<string, unknown>;
  const inner = typeof body === 'object' && body !== null ? Object.values(body)[0] : undefined;
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
}
