import type { Hosts } from '../machines.js';
import { type StandInAnswer, type StandInRequest, type StandInServer, serveStandIn } from '../stand-in-server.js';
import { catalogRoutes } from './catalog.js';
import { disksBehind } from './disks.js';
import { listRoutes } from './lists.js';
import { otherRoutes } from './others.js';
import { serverRoutes } from './servers.js';
import { specification } from './specification.js';
import { volumeRoutes } from './volumes.js';
import { type Delays, emptyState, Refusal, type Routes, type State, type World } from './world.js';
import { zoneRoutes } from './zones.js';

export interface HetznerStandIn extends StandInServer {
  /** Value for HCLOUD_ENDPOINT. */
  endpoint: string;
  token: string;
  world: World;
  /** Requests and answers that violate the vendor's specification. Each is our fault. */
  violations: string[];
}

const routes: Routes = { ...catalogRoutes, ...listRoutes, ...serverRoutes, ...volumeRoutes, ...otherRoutes, ...zoneRoutes };
const TOKEN = 'stand-in-of-hetzner-cloud';

export interface HetznerOptions {
  hosts?: Hosts;
  /** Whether volumes are disks of their hosts. Needs root and loop devices. */
  disks?: boolean;
  delays?: Partial<Delays>;
  limits?: Partial<World['limits']>;
  /** Requests per hour, which are replenished evenly. */
  requests?: number;
}

/**
 * Starts a test tool that answers like Hetzner Cloud's API for one project. Its servers are containers, or only
 * addresses with `hosts: 'none'`. Each request and each successful answer is validated against the vendor's
 * specification.
 */
export async function startHetzner({
  hosts = 'none',
  disks = false,
  delays = {},
  limits = {},
  requests = 3600,
}: HetznerOptions = {}): Promise<HetznerStandIn> {
  const spec = await specification();
  const world: World = {
    state: emptyState(),
    machines: new Map(),
    userData: new Map(),
    hosts,
    disks,
    changed: () => {},
    delays: { make: 20, boot: 20, stop: 10, remove: 15, other: 5, ...delays },
    // Limits that the vendor documents for networks and spread placement groups.
    limits: { servers: 1000, networkMembers: 100, groupMembers: 10, ...limits },
    quota: false,
    closed: { yes: false },
    next: { id: 10_000 },
  };
  const behind = disks ? disksBehind(world) : undefined;
  if (behind) world.changed = behind.follow;
  const violations: string[] = [];
  let before: State = emptyState();
  const bucket = openBucket(requests);
  /** Changes run one after the other. */
  let last: Promise<unknown> = Promise.resolve();

  async function respond(request: StandInRequest): Promise<StandInAnswer> {
    if (!bucket.take()) throw new Refusal(429, 'rate_limit_exceeded', 'limit of requests per hour reached');
    if (request.headers.authorization !== `Bearer ${TOKEN}`) throw new Refusal(401, 'unauthorized', 'unable to authenticate');
    const asked = {
      method: request.method,
      path: request.path,
      query: judged(request.query, request.path.endsWith('/rrsets')),
      headers: request.headers as Record<string, string | string[]>,
      ...(request.body === undefined ? {} : { body: request.body }),
    };
    const wrong = spec.request(asked);
    const [route, ids, names] = match(request.method, request.path);
    if (wrong.length > 0 || !route) {
      violations.push(
        `${request.method} ${request.path}: ${wrong.join('; ') || 'is not one of the stand-in’s'} ${JSON.stringify(request.body ?? '')}`,
      );
      throw new Refusal(422, 'invalid_input', `THE STAND-IN REFUSES: ${violations.at(-1)}`);
    }
    if (request.method !== 'GET') before = structuredClone(world.state);
    const stale = request.stale && request.method === 'GET';
    const seen: World = { ...world, state: stale ? before : world.state, quota: request.quota };
    const body = (request.body ?? {}) as Record<string, unknown>;
    const answer = await (routes[route]?.(seen, { ids, names, query: request.query, body }) ?? { status: 500 });
    world.changed();
    const odd = spec.answer(asked, answer.status, answer.body);
    if (odd.length > 0) violations.push(`answer to ${request.method} ${request.path}: ${odd.join('; ')}`);
    return answer;
  }

  const server = await serveStandIn(
    (request) => {
      const turn = last.then(() => respond(request)).catch(refused);
      last = turn.catch(() => {});
      return turn.then((answer) => ({ ...answer, headers: { ...answer.headers, ...bucket.headers() } }));
    },
    (seconds) => {
      const answer = refused(new Refusal(429, 'rate_limit_exceeded', 'limit of requests per hour reached'));
      return { ...answer, headers: { ...bucket.headers(), 'ratelimit-remaining': '0', 'retry-after': String(seconds) } };
    },
    () => refused(new Refusal(500, 'server_error', 'an unexpected error occurred')),
  );

  return {
    ...server,
    endpoint: `${server.url}/v1`,
    token: TOKEN,
    world,
    violations,
    async close() {
      world.closed.yes = true;
      await server.close();
      await Promise.all([...world.machines.values()].map((machine) => machine.remove()));
      behind?.close();
      if (violations.length > 0) throw new Error(`the specification does not know: ${violations.join('\n')}`);
    },
  };
}

let correlation = 0;

function refused(error: unknown): StandInAnswer {
  if (!(error instanceof Refusal)) throw error;
  const details = error.fields.length > 0 ? { fields: error.fields.map((name) => ({ name, messages: [error.message] })) } : null;
  return {
    status: error.status,
    headers: { 'x-correlation-id': `stand-in-${++correlation}` },
    body: { error: { code: error.code, message: error.message, details } },
  };
}

/** Returns a query for the validator: repeatable parameters are lists. */
const judged = (query: URLSearchParams, takesTypes: boolean) =>
  Object.fromEntries(
    [...new Set(query.keys())].map((name) => [
      name,
      name === 'id' || (takesTypes && name === 'type') ? query.getAll(name) : (query.get(name) ?? ''),
    ]),
  );

/** Creates the hourly limit of requests, which is replenished evenly. */
function openBucket(limit: number) {
  let left = limit;
  let at = Date.now();
  const fill = () => {
    const now = Date.now();
    left = Math.min(limit, left + ((now - at) * limit) / 3_600_000);
    at = now;
  };
  return {
    take(): boolean {
      fill();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    headers(): Record<string, string> {
      fill();
      const reset = Math.ceil((Date.now() + ((limit - left) / limit) * 3_600_000) / 1000);
      return {
        'ratelimit-limit': String(limit),
        'ratelimit-remaining': String(Math.floor(left)),
        'ratelimit-reset': String(reset),
      };
    },
  };
}

/** Returns the route of a path, and the numbers or names for `{}`. */
function match(method: string, path: string): [route: string | undefined, ids: number[], names: string[]] {
  const [, zone, rrsets = '', name, type, action = ''] =
    /^\/v1\/zones\/([^/]+)(\/rrsets)?(?:\/([^/]+)\/([^/]+)(\/actions\/\w+)?)?$/.exec(path) ?? [];
  if (zone !== undefined) {
    const route = `${method} /v1/zones/{}${rrsets}${name === undefined ? '' : `/{}/{}${action}`}`;
    const names = [zone, name, type].flatMap((one) => (one === undefined ? [] : [decodeURIComponent(one)]));
    return [route in routes ? route : undefined, [], names];
  }
  const route = `${method} ${path.replace(/\/\d+(?=\/|$)/g, '/{}')}`;
  return [route in routes ? route : undefined, [...path.matchAll(/\/(\d+)(?=\/|$)/g)].map(([, id]) => Number(id)), []];
}
