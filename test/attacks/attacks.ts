import { setTimeout as sleep } from 'node:timers/promises';
import { plain, type rawTemporal } from '../support/raw-temporal.js';

export type Raw = ReturnType<typeof rawTemporal>;

/** What the attacker finds: all of it can be read from Temporal's lists. */
export interface Scene {
  infra: string;
  entity: string;
  /** An infra that nobody has locked. */
  free: string;
  /** An operation on the free infra, which has ended. */
  ended: string;
  /** One that was approved, and has ended. */
  approved: string;
  /** One that holds the lock of the infra and waits for an approval. */
  gated: string;
  /** For ids that nobody has used. */
  mark: string;
}

export interface Attack {
  name: string;
  /** What the attacker does, and whether it got through as far as it can tell; undefined: the home is asked. */
  strike(raw: Raw, scene: Scene): Promise<boolean | undefined>;
  /** What to look for in the home where the attacker cannot tell. */
  effect?: 'server-gone' | 'lock-gone';
}

/** The type of the failures by which a workflow says that it takes nothing of this kind. */
const REFUSED = 'refused';
/** How long a workflow may take to show what it does, in milliseconds. */
const SETTLED_MS = 8_000;
const SIGNAL_SETTLED_MS = 1_500;
/** Grants are numbered from 1: the attacker tries those of a young infra. */
const GRANTS = Array.from({ length: 100 }, (_, index) => index + 1);

const STARTS: Record<string, object> = {
  cluster: { kind: 'cluster', intent: { verb: 'ensure', prune: true } },
  server: { kind: 'server', intent: { verb: 'ensure', servers: ['web-1'] } },
  taskserv: { kind: 'taskserv', intent: { verb: 'ensure', taskservs: ['redis'] } },
  batch: { name: 'x', operations: 1, pageSize: 1, pages: ['0'.repeat(64)], stages: [1], parallel: 1 },
  ask: { provider: 'demo', topic: 'plans' },
  refresh: {},
  importServer: { provider: 'demo', server: 'web-1', name: 'web-1', check: true },
  orphans: {},
};

const gone = { change: 'server-gone', name: 'web-1' };

/** One attack for each workflow, signal, update and query, in plain text; then the same recorded. */
export const ATTACKS: readonly Attack[] = [
  ...Object.entries(STARTS).map(
    ([type, request]): Attack => ({
      name: `start ${type}, plain`,
      async strike(raw, { free: infra, mark }) {
        const id = `${type}-ensure-${infra}-${mark}`;
        const input = { id, workspace: 'default', infra, actor: 'stranger', ...request };
        const { status, worked } = await outcomeOf(raw, id, await raw.start(type, id, [plain(input)]));
        return worked || status === 'completed';
      },
    }),
  ),
  {
    name: 'start infra, plain',
    async strike(raw, { mark }) {
      const id = `infra/default/stranger-${mark}`;
      const runId = await raw.start('infra', id, [plain({ workspace: 'default', infra: `stranger-${mark}` })]);
      await raw.signal(id, 'acquire', [plain({ operation: 'nobody', kind: 'cluster', resources: ['*'], actor: 'stranger' })]);
      const { status } = await outcomeOf(raw, id, runId);
      return status !== 'failed';
    },
  },
  {
    name: 'start cluster, recorded, under its own id',
    async strike(raw, { ended }) {
      const runId = await raw.start('cluster', ended, await raw.startedWith(ended));
      return (await outcomeOf(raw, ended, runId)).status === 'completed';
    },
  },
  ...['pause', 'approve', 'decide', 'stop', 'force', 'resume'].map(
    (name): Attack => ({
      name: `update ${name}, plain`,
      // A handler that refuses for its own reasons was reached.
      strike: async (raw, { gated }) =>
        (await raw.update(gated, name, [plain({ actor: 'stranger', approved: false, decision: 'keep' })])) !== REFUSED,
    }),
  ),
  {
    name: 'update approve, recorded, of another operation',
    async strike(raw, { approved, gated }) {
      const approval = (await raw.received(approved)).find(({ name }) => name === 'approve');
      return (await raw.update(gated, 'approve', approval?.payloads ?? [])) === undefined;
    },
  },
  ...['progress', 'request'].map(
    (name): Attack => ({
      name: `query ${name}, plain`,
      strike: async (raw, { gated }) => (await raw.query(gated, name, [])) === undefined,
    }),
  ),
  ...['inventory', 'locks', 'wait'].map(
    (name): Attack => ({
      name: `query ${name}, plain`,
      strike: async (raw, { entity }) => (await raw.query(entity, name, [plain('x')])) === undefined,
    }),
  ),
  {
    name: 'signal changed, plain',
    effect: 'server-gone',
    strike: (raw, { entity }) => tell(raw, entity, 'changed', (grant) => ({ grant, changes: [gone] })),
  },
  {
    name: 'signal told, plain',
    effect: 'server-gone',
    strike: (raw, { entity }) => tell(raw, entity, 'told', (grant) => [{ grant, changes: [gone] }]),
  },
  {
    name: 'signal release, plain',
    effect: 'lock-gone',
    strike: (raw, { entity }) => tell(raw, entity, 'release', (grant) => ({ grant, changes: [] })),
  },
  {
    name: 'signal forgotten, plain',
    effect: 'lock-gone',
    async strike(raw, { entity, gated }) {
      await raw.signal(entity, 'forgotten', [plain([gated])]);
      await sleep(SIGNAL_SETTLED_MS);
      return undefined;
    },
  },
];

async function tell(raw: Raw, entity: string, signal: string, news: (grant: number) => unknown): Promise<undefined> {
  for (const grant of GRANTS) await raw.signal(entity, signal, [plain(news(grant))]);
  await sleep(SIGNAL_SETTLED_MS);
}

/** How a workflow stands once it has had time: whether it asked an activity for anything, and how it ended. */
async function outcomeOf(raw: Raw, workflowId: string, runId: string): Promise<{ status: string; worked: boolean }> {
  for (const until = Date.now() + SETTLED_MS; ; await sleep(200)) {
    const events = await raw.history(workflowId, runId);
    const worked = events.some((event) => event.activityTaskScheduledEventAttributes ?? event.markerRecordedEventAttributes);
    const ended = events.at(-1);
    if (ended?.workflowExecutionCompletedEventAttributes) return { status: 'completed', worked };
    if (ended?.workflowExecutionFailedEventAttributes) return { status: 'failed', worked };
    if (Date.now() > until) return { status: 'running', worked };
  }
}
