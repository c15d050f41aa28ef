import { setTimeout as sleep } from 'node:timers/promises';
import { READS } from '../app/method-names.generated.js';
import { messageOf, ProvisioningError, unreachableError } from '../core/errors.js';
import { NOT_FOLLOWED } from '../core/exit-codes.js';
import { previewIdOf } from '../core/operation-id.js';
import { type Client, clientOver } from './client.js';
import { ConnectionLost } from './connection-lost.js';
import { type Lease, SharedConnection } from './shared-connection.js';

/** How long a client waits for a worker that has ended, in milliseconds: `up` may have to start the engine, too. */
const AWAY_MS = 2 * 60_000;
const EVERY_MS = 500;

/** Error codes of calls while no worker answers. */
const AWAY: ReadonlySet<string> = new Set([
  'answer-lost',
  'engine-not-answering',
  'engine-not-running',
  'no-worker',
  'server-unreachable',
]);

/** Calls that follow something, and that a worker has answered before: whatever does not answer now may answer again. */
const FOLLOWS: ReadonlySet<string> = new Set([
  'operations.follow',
  'operations.result',
  'batches.follow',
  'infras.follow',
  'workspaces.follow',
  'plans.result',
  'batches.state',
  'batches.rows',
]);

/** Calls with an id of the caller, with the code that refuses them once they have taken effect, and their answers. */
const SUBMITS: Readonly<Record<string, { exists: string; answer(input: never): object }>> = {
  'operations.submit': {
    exists: 'operation-exists',
    answer: ({ request }: { request: { id: string } }) => ({ operation: request.id }),
  },
  'plans.apply': {
    exists: 'operation-exists',
    answer: ({ request }: { request: { id: string } }) => ({ operation: request.id }),
  },
  'plans.preview': {
    exists: 'operation-exists',
    answer: ({ request }: { request: Parameters<typeof previewIdOf>[0] }) => ({ operation: previewIdOf(request) }),
  },
  'batches.submit': { exists: 'operation-exists', answer: ({ id }: { id: string }) => ({ batch: id }) },
  'secrets.apply': {
    exists: 'operation-exists',
    answer: ({ as, infras = [] }: { as: string; infras?: string[] }) => ({ batch: as, infras }),
  },
};

/** Probes by stream that continues after a cursor. A worker that can answer the stream answers its probe at once. */
const PROBES: Readonly<Record<string, (input: Record<string, unknown>) => { method: string; input: object }>> = {
  'operations.follow': ({ operation }) => ({ method: 'operations.progress', input: { operation } }),
  'audit.follow': () => ({ method: 'audit.list', input: { limit: 1 } }),
  'batches.follow': ({ batch }) => ({ method: 'batches.state', input: { batch } }),
  'infras.follow': ({ workspace }) => ({ method: 'infras.list', input: { workspace, limit: 1 } }),
  'workspaces.follow': ({ workspace }) => ({ method: 'infras.list', input: { workspace, limit: 1 } }),
};

/**
 * Methods that may be repeated: they store under the address of their content, or sign data that a host accepts once.
 */
const REPEATABLE: ReadonlySet<string> = new Set([
  ...['bundles.put', 'bundles.file', 'servers.login', 'servers.signLogin'],
  ...['workspaces.part', 'workspaces.upload'],
]);

export interface LastingOptions {
  /** Called when no worker answers, with how long the client waits for one, in milliseconds. */
  away(forMs: number): void;
  /** Called when a worker answers again. */
  back(): void;
  /** How long a worker is waited for, in milliseconds. Default: two minutes. */
  forMs?: number;
}

type Call = (input: unknown, options?: { signal?: AbortSignal }) => unknown;

/**
 * Creates a client that outlives its worker: it waits for some time until a worker answers again. Calls that change
 * something are not repeated, except calls that take effect only once.
 *
 * @param open connects; its failures are those of the first call. If nothing was called, `close` calls it and closes
 * the result
 * @throws unreachableError `not-followed` if no worker answers in time
 */
export function createLastingClient(open: () => Promise<Client>, { away, back, forMs = AWAY_MS }: LastingOptions): Client {
  const shared = new SharedConnection(open);
  let hasOpened = false;
  let hasAnswered = false;
  let isClosed = false;
  const lease = (): Lease<Client> => {
    if (isClosed) throw new ConnectionLost();
    hasOpened = true;
    return shared.lease();
  };
  const named = async (method: string, { connection }: Lease<Client>): Promise<Call> => {
    const [group = '', verb = ''] = method.split('.');
    const client = (await connection) as unknown as Record<string, Record<string, Call>>;
    return client[group]?.[verb] as Call;
  };

  /** One call, or the wait that is begun with its first failure. */
  function outage(method: string, input: unknown, signal?: AbortSignal) {
    let until: number | undefined;
    return {
      get isOn() {
        return until !== undefined;
      },
      end() {
        if (until !== undefined) back();
        until = undefined;
        hasAnswered = true;
      },
      /** Waits a little; the next try connects again. @throws the error if another try is of no use */
      async sitOut(error: unknown, on: Lease<Client>): Promise<void> {
        const mayWait = READS.has(method) || REPEATABLE.has(method) || method in SUBMITS;
        const begins = isLost(error) || (FOLLOWS.has(method) && hasAnswered);
        if (isClosed || signal?.aborted || !mayWait || !isAway(error) || !(until !== undefined || begins)) throw error;
        if (until === undefined) {
          until = Date.now() + forMs;
          away(forMs);
        }
        if (Date.now() > until) throw notFollowed(method, input, error, forMs);
        on.abandon();
        await sleep(EVERY_MS, undefined, signal ? { signal } : {}).catch(() => {});
        if (isClosed) throw error;
      },
    };
  }

  /**
   * Checks whether a worker answers about the followed subject: a continued stream is silent before something changes.
   */
  async function probe(method: string, input: unknown, on: Lease<Client>): Promise<void> {
    const asked = PROBES[method]?.(input as Record<string, unknown>);
    if (!asked) return;
    try {
      await (await named(asked.method, on))(asked.input);
    } catch (error) {
      // Any other failure is an answer, and the stream has its own.
      if (isAway(error) || isLost(error)) throw error;
    }
  }

  return clientOver({
    async call(method, input) {
      const wait = outage(method, input);
      for (;;) {
        const on = lease();
        try {
          const answer = await (await named(method, on))(input);
          wait.end();
          return answer;
        } catch (error) {
          const submits = SUBMITS[method];
          if (wait.isOn && submits && error instanceof ProvisioningError && error.details.code === submits.exists) {
            wait.end();
            return submits.answer(input as never);
          }
          await wait.sitOut(error, on);
        } finally {
          on.release();
        }
      }
    },
    async *stream(method, input, options) {
      const wait = outage(method, input, options.signal);
      let after: string | undefined;
      for (;;) {
        const on = lease();
        try {
          if (wait.isOn && after !== undefined) {
            await probe(method, input, on);
            wait.end();
          }
          const asked = after === undefined ? input : { ...(input as object), after };
          for await (const event of (await named(method, on))(asked, options) as AsyncIterable<{ cursor?: string }>) {
            wait.end();
            after = event?.cursor ?? after;
            yield event;
          }
          return;
        } catch (error) {
          await wait.sitOut(error, on);
          if (options.signal?.aborted) return;
        } finally {
          on.release();
        }
      }
    },
    async close() {
      // Pending calls fail now. They must not connect again, because that connection would stay open.
      isClosed = true;
      // The client from `open` may be connected already, and would keep the process running.
      if (!hasOpened) shared.lease();
      await shared.close();
    },
  });
}

const isAway = (error: unknown): boolean => error instanceof ProvisioningError && AWAY.has(error.details.code);

/** The worker took the call, or the connection of it, and has ended. */
const isLost = (error: unknown): boolean => error instanceof ConnectionLost;

function notFollowed(method: string, input: unknown, cause: unknown, forMs: number): ProvisioningError {
  const { operation, batch, request, id, as } = (input ?? {}) as Record<string, string> & { request?: { id: string } };
  const on = operation ?? batch ?? request?.id ?? id ?? as;
  const isBatch = method.startsWith('batches.') || method === 'secrets.apply';
  return unreachableError(
    {
      code: NOT_FOLLOWED,
      what: method in SUBMITS ? 'find out whether the operation started' : 'follow on',
      ...(on !== undefined && { on }),
      why: `no worker answered for ${Math.round(forMs / 1_000)} s: ${messageOf(cause)}`,
      hint: `operations continue as soon as a worker runs: \`provisioning up\`${on === undefined ? '' : `, then \`provisioning ${isBatch ? 'batch' : 'workflow'} follow ${on}\``}`,
    },
    { cause },
  );
}
