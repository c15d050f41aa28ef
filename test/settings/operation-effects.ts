import { readListRetention } from '../../app/operation/prune-ended.js';
import { liveStatus } from '../../authoring/request/live-status.js';
import { runLine } from '../../cli/fake-run.js';
import { type Fakes, fakeClient, fakeSession, inventoryNamed, resultOf } from '../../cli/fake-session.js';
import { operate } from '../../cli/shared/operate.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import type { Effect, Effects, Place } from './effect.js';

type Flags = Parameters<typeof operate>[1];

/** Returns the request that a command submits in a home, and the output. */
async function submittedIn({ home }: Place, flags: Flags = { yes: true }) {
  const { client, submitted } = fakeClient((request) => [{ type: 'end', result: resultOf(request) }]);
  const queued: unknown[] = [];
  const submit: Fakes['operations.submit'] = async (input) => {
    queued.push(input.queue);
    return client['operations.submit']?.(input) ?? { operation: '' };
  };
  const session = fakeSession({ client: { ...client, 'operations.submit': submit }, root: home.root });
  await operate(session, flags, { kind: 'cluster', infra: 'demo', intent: { verb: 'ensure' } });
  return { request: submitted[0] as OperationRequest, queued: queued[0], out: session.said() };
}

/** Creates an effect on a field of the request. */
const requested = (values: Effect['values'], of: (request: OperationRequest) => unknown, sees: [unknown, unknown]): Effect => ({
  values,
  sees,
  observe: async (place) => of((await submittedIn(place)).request),
});

const BATCH = 'batch: two\noperations: [{ name: one, kind: cluster, file: demo.yaml }]\n';

/** Returns the request that `batch submit` submits in a home. */
async function batchIn({ home, put }: Place): Promise<Record<string, unknown>> {
  let seen: Record<string, unknown> = {};
  await put('demo.yaml', 'infra: demo\nprovider: demo\nservers: [{ name: web }]\n');
  const file = await put('two.yaml', BATCH);
  const client: Fakes = {
    'batches.submit': async (input) => {
      seen = input as unknown as Record<string, unknown>;
      return { batch: input.id };
    },
  };
  const { code, err } = await runLine(`batch submit ${file} --yes --no-wait`, { root: home.root, client });
  if (code !== 0) throw new Error(err);
  return seen;
}

export const OPERATION_EFFECTS: Effects = {
  'lists.operations': { values: [40, 400], sees: 'itself', observe: ({ env }) => readListRetention(env).operations },
  'lists.previews': { values: [10, 60], sees: 'itself', observe: ({ env }) => readListRetention(env).previews },
  'operation.onFailure': requested(['ask', 'keep'], ({ onFailure }) => onFailure, ['ask', 'keep']),
  'operation.onTimeout': requested(['rollback', 'keep'], ({ onTimeout }) => onTimeout, ['rollback', 'keep']),
  'operation.priority': requested([1, 5], ({ priority }) => priority, [1, 5]),
  'operation.approve': requested(['before-change', 'before-destroy'], ({ approve }) => approve, [
    ['before-change'],
    ['before-destroy'],
  ]),
  'operation.wait': {
    values: [true, false],
    sees: [false, true],
    observe: async (place) => (await submittedIn(place)).out.startsWith('started: '),
  },
  'operation.queue': {
    values: [true, false],
    sees: [true, undefined],
    observe: async (place) => (await submittedIn(place)).queued,
  },
  'operation.diff': {
    values: [true, false],
    sees: [true, undefined],
    observe: async (place) => (await submittedIn(place, { check: true })).request.diff,
  },
  'timeouts.health': requested([30, 90], ({ timing }) => timing, [{ healthMs: 30_000 }, { healthMs: 90_000 }]),
  'timeouts.patience': requested([30, 90], ({ timing }) => timing, [{ giveUpMs: 30_000 }, { giveUpMs: 90_000 }]),
  'timeouts.call': requested([30, 90], ({ timing }) => timing, [{ callMs: 30_000 }, { callMs: 90_000 }]),
  'timeouts.retry': requested([200, 5_000], ({ timing }) => timing, [{ retryMs: 200 }, { retryMs: 5_000 }]),
  'timeouts.answer': {
    values: [2, 9],
    sees: [2_000, 9_000],
    async observe({ home }) {
      let within: unknown;
      const client: Fakes = {
        'infras.status': async ({ hosts }) => {
          within = hosts?.withinMs;
          return {} as never;
        },
      };
      await liveStatus(fakeSession({ root: home.root, client }), [inventoryNamed('demo')], { clouds: false });
      return within;
    },
  },
  'batch.parallel': { values: [3, 7], sees: [3, 7], observe: async (place) => (await batchIn(place)).parallel },
  'batch.onFailure': { values: ['keep', 'ask'], sees: ['keep', 'ask'], observe: async (place) => (await batchIn(place)).onFailure },
};
