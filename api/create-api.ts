import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { Dispatcher } from '../app/dispatcher.js';
import type { AnyMethod } from '../app/method.js';
import type { Principal } from '../app/principal.js';
import { messageOf } from '../core/errors.js';
import { answerFirstAdministrator, FIRST_ADMINISTRATOR, type RedeemCode } from './first-administrator.js';
import { createAdmission, type Limits } from './limits/admit.js';
import type { RequestConnection } from './limits/caller-address.js';
import { describePages, type PageFiles } from './pages/pages.js';
import { authenticate, type PrincipalOf } from './request/authenticate.js';
import { checkOrigin, refuseTokenInUrl } from './request/check-origin.js';
import { describeProblem, logLine, respondProblem } from './response/problem.js';
import { SECURITY_HEADERS } from './response/security-headers.js';
import type { StreamPace } from './response/stream-events.js';
import { createStreamPlaces } from './response/stream-places.js';
import { answerMethod, type RestOptions } from './rest.js';
import { createRouteFinder } from './routes/match-route.js';
import { placeMethods } from './routes/route.js';

export interface ApiOptions {
  /** The methods by their names: from the table, or from a test. */
  methods: Readonly<Record<string, AnyMethod>>;
  /** Runs methods for a principal. @param address that the request came from */
  dispatcherFor(principal: Principal, address?: string): Dispatcher;
  principalOf: PrincipalOf;
  /** Takes the code of the first administrator; absent: there is no such path. */
  redeem?: RedeemCode;
  /** Host names that are served in addition to loopback, in lower case. */
  hostNames?: ReadonlySet<string>;
  version: { version: string; build: string };
  /** Checks whether the platform answers. An error explains the failure, and is not shown to callers. */
  ready(): Promise<void>;
  /** Files of the page with the reference; absent: there is no such page. */
  pages?: PageFiles;
  /** Whether it is reached through TLS, so that browsers must return the same way. */
  isSecure?: boolean;
  /** Receives a line about each request that failed by an internal error. */
  log?(line: string): void;
  pace?: StreamPace;
  /** Limits by account and by address; absent: no limits. */
  limits?: Limits;
}

export interface Api {
  /** Answers a request. @param from its connection, for limits by address */
  fetch(request: Request, from?: { incoming?: RequestConnection }): Response | Promise<Response>;
  /** Announces that this instance is about to stop, so that a load balancer sends no more requests. */
  drain(): void;
  /** Ends all streams. */
  endStreams(): void;
}

/**
 * Serves the methods of the platform over HTTP: REST and server-sent events under `/v1`, with an OpenAPI document and
 * a page that shows it. It has no state of its own except open streams, so that several instances can run behind a
 * load balancer.
 */
export function createApi(options: ApiOptions): Api {
  const { hostNames = new Set<string>(), log = () => {}, pace } = options;
  const routes = placeMethods(options.methods);
  const places = createStreamPlaces();
  const serving: RestOptions = { find: createRouteFinder(routes), dispatcherFor: options.dispatcherFor, places, pace };
  const admission = createAdmission(options.limits, options.principalOf);
  let isStopping = false;

  async function answer(c: Context): Promise<Response> {
    const { path, query } = splitUrl(c.req.url);
    const request = requestId(c);
    if (!path.startsWith('/health/')) checkOrigin(c.req.raw.headers, hostNames);
    refuseTokenInUrl(path, query);
    const page = await pages(path, c.req.method);
    if (page) return page;
    await admission.enter(c.req.raw, (c.env as { incoming?: RequestConnection } | undefined)?.incoming);
    const { redeem } = options;
    if (path === FIRST_ADMINISTRATOR && query === '' && redeem)
      return admission.signIn(c.req.raw, '', () => answerFirstAdministrator(c.req.raw, redeem));
    const principal = await admission.authenticate(c.req.raw);
    const address = admission.address(c.req.raw);
    const check = () => authenticate(c.req.raw.headers, (bearer) => options.principalOf(bearer, address));
    return answerMethod(serving, c.req.raw, { path, query, request, principal, address, check });
  }

  const pages = describePages({
    ...{ routes, version: options.version, files: options.pages },
    async ready() {
      if (isStopping) throw new Error('it is stopping');
      await options.ready();
    },
    onNotReady: (error) => log(JSON.stringify({ notReady: messageOf(error) })),
  });

  const app = new Hono();
  app.all('*', async (c) => {
    // Not by `onError`, which does not see thrown values other than Error.
    const response = await answer(c).catch((error: unknown) => {
      const problem = describeProblem(error, requestId(c));
      if (problem.kind === 'internal') log(logLine(problem, error));
      return respondProblem(problem, (error as { headers?: Record<string, string> } | null)?.headers);
    });
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!response.headers.has(name)) response.headers.set(name, value);
    if (options.isSecure) response.headers.set('strict-transport-security', 'max-age=31536000');
    for (const [name, value] of Object.entries(admission.headers(c.req.raw)))
      if (!response.headers.has(name)) response.headers.set(name, value);
    response.headers.set('x-request-id', requestId(c));
    return response;
  });

  return {
    fetch: (request, from) => app.fetch(request, from),
    drain() {
      isStopping = true;
    },
    endStreams: () => places.close(),
  };
}

/** Returns the path and the query of a URL, as they were sent. */
function splitUrl(url: string): { path: string; query: string } {
  const from = url.indexOf('/', url.indexOf('//') + 2);
  const [target = ''] = (from < 0 ? '/' : url.slice(from)).split('#');
  const at = target.indexOf('?');
  return at < 0 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}

const ids = new WeakMap<Request, string>();

/** The id of a request: the caller's if it is a plain one, so that it can be followed through several services. */
function requestId(c: Context): string {
  const known = ids.get(c.req.raw);
  if (known !== undefined) return known;
  const given = c.req.header('x-request-id') ?? '';
  const id = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(given) ? given : randomUUID();
  ids.set(c.req.raw, id);
  return id;
}
