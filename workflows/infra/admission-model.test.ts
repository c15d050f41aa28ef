import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { pack, unpack } from '../../core/encoding/pack.js';
import type * as Claims from '../../core/infra/claims.js';
import { hashOf } from '../../core/infra/grant.js';
import { emptyInventory, type InventoryChange } from '../../core/infra/inventory.js';
import type * as Received from '../../core/infra/received.js';
import type { Holder, LockRequest } from '../../core/operation/operation.js';
import { fc } from '../../test/support/fast-check.js';
import { AdmissionModel } from './admission-model.js';
import type * as Table from './lock-table.js';

/** Interleavings that are played; those of a rule that is missing end with the first that shows it. */
const RUNS = Number(process.env.MODEL_RUNS ?? (process.env.LONG ? 10_000 : 2_000));
const SHOWN_WITHIN = 5_000;
const SEED = Number(process.env.TEST_SEED ?? 1);
/** Each of these must have happened at least so often among 10,000. */
const LEAST = 500;

const DEFINITIONS = ['x', 'y', 'z'].map((infra): Definition => JSON.parse(JSON.stringify({ infra, servers: [] })));
const SCOPE = { workspace: 'w', infra: 'i' };

const definition = fc.constantFrom(...DEFINITIONS);
const network = fc.constantFrom('n', 'm');
const server = fc.constantFrom('1', '2', '3', 'lb');
const wish = fc.oneof(
  // An apply: the whole infra.
  definition.map((one) => ({ resources: ['*'], needs: { definition: true, own: hashOf(one) } })),
  // Servers of a definition, made or changed.
  fc
    .record({ names: fc.uniqueArray(server, { minLength: 1, maxLength: 2 }), one: definition, network, drained: fc.boolean() })
    .map(({ names, one, network: name, drained }) => ({
      resources: names.map((server) => `server/${server}`),
      needs: {
        ...{ servers: names, definition: true, own: hashOf(one), complete: true, networks: [name] },
        ...(drained && !names.includes('lb') && { drains: ['lb'] }),
      },
    })),
  // Power: by whatever is in force.
  server.map((name) => ({ resources: [`server/${name}`], needs: { servers: [name], definition: true, peers: true } })),
  // Roll-backs of a batch's members, and of a network.
  fc.record({ name: server, one: definition }).map(({ name, one }) => ({
    resources: [`server/${name}`],
    needs: { servers: [name], complete: true, restores: hashOf(one) },
  })),
  network.map((name) => ({ resources: [`network/${name}`], needs: {} })),
  // A preview.
  definition.map((one) => ({ resources: [] as string[], needs: { definition: true, own: hashOf(one) } })),
);
const who = fc.record({
  actor: fc.constantFrom('ann', 'bob'),
  priority: fc.constantFrom(undefined, 1, 5),
  /** How many seconds before it asks it was submitted. */
  ago: fc.constantFrom(0, 3, 20),
});
const which = fc.nat(7);
const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('ask' as const), wish, who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('apply' as const), which, one: definition }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('network' as const), which, name: network, isThere: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('continue' as const) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** How often what happened. */
type Coverage = Record<string, number>;

class Mismatch extends Error {}

function same(what: string, is: unknown, should: unknown): void {
  const [one, other] = [JSON.stringify(is), JSON.stringify(should)];
  if (one !== other) throw new Mismatch(`${what}: ${one} instead of ${other}`);
}

/** Plays interleavings on what it imports now, beside the model. */
async function player(coverage: Coverage = {}) {
  const { Admission } = await import('./admission.js');
  const { InfraRecord } = await import('./infra-record.js');
  const count = (what: string) => {
    coverage[what] = (coverage[what] ?? 0) + 1;
  };

  return (actions: readonly Action[]): void => {
    const model = new AdmissionModel();
    let record = new InfraRecord(SCOPE, {
      inventory: emptyInventory({ ...SCOPE, uuid: 'u' }),
      definitions: { entries: [], contents: {} },
      brought: {},
    });
    let admission = new Admission(() => record.inventory);
    let now = 100_000;
    const applied: string[] = [];
    const write = (holder: Holder, changes: InventoryChange[]) => {
      if (record.write(holder, changes)) admission.judgeAnew();
    };
    const chosen = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

    for (const one of actions) {
      now += 1_000;
      if (one.do === 'ask') {
        const { actor, priority, ago } = one.who;
        const submitted = new Date(now - ago * 1_000).toISOString();
        const more = { actor, ...(priority && { priority }), submitted };
        const request: LockRequest = { operation: `o${now}`, kind: 'cluster', ...one.wish, ...more };
        admission.ask(request, now);
        model.ask(request, now);
      } else if (one.do === 'end') {
        const holder = chosen(admission.holders(), one.which);
        if (holder) admission.release(holder.grant);
        model.leave(holder?.operation ?? '');
      } else if (one.do === 'cancel') {
        const waiter = chosen(admission.waiters(), one.which);
        if (waiter) count('canceled while it waits');
        admission.forget([waiter?.operation ?? '']);
        model.leave(waiter?.operation ?? '');
      } else if (one.do === 'apply') {
        const holder = chosen(admission.holders(), one.which);
        if (!holder?.submitted || applied.length > 12) continue;
        const { operation, submitted } = holder;
        write(holder, [
          { change: 'received', submitted },
          { change: 'definition', definition: one.one },
        ]);
        model.receive(operation, submitted);
        model.apply(one.one, operation);
        applied.push(operation);
        count('definition applied');
      } else if (one.do === 'undo') {
        const [holder, of] = [chosen(admission.holders(), one.which), chosen(applied, one.which)];
        if (!holder || !of) continue;
        write(holder, [{ change: 'definition-undone', of }]);
        model.undo(of);
        count('definition rolled back');
      } else if (one.do === 'network') {
        const holder = chosen(admission.holders(), one.which);
        if (!holder) continue;
        const { name, isThere } = one;
        const made = { name, provider: 'demo', id: name, since: holder.operation };
        write(holder, [isThere ? { change: 'network', network: made } : { change: 'network-gone', name }]);
        model.network(name, isThere);
      } else {
        if (admission.size > 0) count('continued as new while somebody holds or waits');
        const known = record.state(admission.waiters());
        [record, admission] = ((state) => {
          const next = new InfraRecord(SCOPE, state.known);
          return [next, new Admission(() => next.inventory, state.admission)];
        })(
          unpack<{ known: typeof known; admission: ReturnType<typeof admission.state> }>(
            JSON.parse(JSON.stringify(pack({ known, admission: admission.state() }))),
          ),
        );
        model.continue();
      }
      const admitted = admission.admit(now);
      same(
        'admitted',
        admitted.map(({ operation }) => operation),
        model.admit(),
      );
      for (const holder of admitted) {
        const isSuperseded = record.grantTo(holder).superseded !== undefined;
        if (isSuperseded) count('superseded');
        same(`${holder.operation} is superseded`, isSuperseded, model.supersedes(holder));
      }
      const waiters = admission.waiters().map(({ operation }) => operation);
      same(
        'the queue',
        waiters,
        model.waiters.map(({ operation }) => operation),
      );
      same('in force', record.inventory.definition, model.world.inForce);
      if (waiters.length > 0) count('somebody waits');
    }
  };
}

const interleaving = fc.array(action, { minLength: 4, maxLength: 40, size: 'max' });

test(`${RUNS} interleavings do what the model says`, { timeout: 300_000 }, async () => {
  const coverage: Coverage = {};
  const play = await player(coverage);
  fc.assert(fc.property(interleaving, play), { numRuns: RUNS, seed: SEED });
  console.log(`${RUNS} interleavings:`, coverage);
  const least = (LEAST * Math.min(RUNS, 10_000)) / 10_000;
  for (const what of ['superseded', 'canceled while it waits', 'continued as new while somebody holds or waits'])
    expect(coverage[what], what).toBeGreaterThanOrEqual(least);
});

/** Each rule of locks, and what admission is without it. */
const RULES = {
  'the whole infra clashes with its parts': () => withClaims((claims) => claims.filter(({ key }) => key !== '*')),
  'a server is for one alone': () =>
    withClaims((claims) =>
      claims.map((one) => (one.key.startsWith('server/') && one.way === 'exclusive' ? { ...one, way: 'shared' } : one)),
    ),
  'side by side only by the same definition': () => withClaims((claims) => claims.filter(({ way }) => !way.startsWith('as '))),
  'who restores a definition goes beside nobody who goes by one': () =>
    withClaims((claims) => claims.filter(({ way }) => !way.startsWith('restore '))),
  'who makes a network has it alone': () =>
    withClaims((claims) => claims.map((one) => (one.key.startsWith('network/') ? { ...one, way: 'shared' } : one))),
  'a network that is there is shared': () =>
    withClaims((claims) => claims.map((one) => (one.key.startsWith('network/') ? { ...one, way: 'exclusive' } : one))),
  'a balancer at work is told nothing': () => withClaims((claims) => claims.filter(({ way }) => way !== 'draining')),
  'a balancer is told by several': () =>
    withClaims((claims) => claims.map((one) => (one.way === 'draining' ? { ...one, way: 'exclusive' } : one))),
  'who only looks waits for nobody': () =>
    withClaims((claims, { resources }) => (resources.length === 0 ? [{ key: '*', way: 'shared' }] : claims)),
  'claims are judged again when the inventory changes': () =>
    vi.doMock('../../core/infra/claims.js', async (original) => ({
      ...(await original<typeof Claims>()),
      touchesClaims: () => false,
    })),
  'nobody is overtaken by one that clashes': () =>
    vi.doMock('./lock-table.js', async (original) => {
      const { LockTable, isBefore } = await original<typeof Table>();
      class Overtaking extends LockTable<Table.Claimant> {
        override wait() {}
        override unwait() {}
      }
      return { LockTable: Overtaking, isBefore };
    }),
  'what was submitted before what is in force is superseded': () =>
    vi.doMock('../../core/infra/received.js', async (original) => ({
      ...(await original<typeof Received>()),
      findSuperseding: () => undefined,
    })),
};

function withClaims(change: (claims: Claims.Claim[], request: LockRequest) => Claims.Claim[]) {
  vi.doMock('../../core/infra/claims.js', async (original) => {
    const real = await original<typeof Claims>();
    const listClaims: typeof real.listClaims = (request, inventory) => change(real.listClaims(request, inventory), request);
    return { ...real, listClaims };
  });
}

describe('the model misses the rule', () => {
  afterEach(() => {
    for (const module of ['../../core/infra/claims.js', './lock-table.js', '../../core/infra/received.js']) vi.doUnmock(module);
    vi.resetModules();
  });

  for (const [rule, remove] of Object.entries(RULES))
    test(rule, { timeout: 120_000 }, async () => {
      vi.resetModules();
      remove();
      const play = await player();
      const { failed, errorInstance } = fc.check(fc.property(interleaving, play), {
        ...{ numRuns: SHOWN_WITHIN, seed: SEED, endOnFailure: true },
      });
      expect(failed).toBe(true);
      expect(errorInstance).toBeInstanceOf(Mismatch);
    });
});
