import { describe, expect, test } from 'vitest';
import { pack, unpack } from '../../core/encoding/pack.js';
import { compatible, listClaims, waitWords } from '../../core/infra/claims.js';
import { emptyInventory, type Inventory } from '../../core/infra/inventory.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { fc } from '../../test/support/fast-check.js';
import { Admission } from './admission.js';
import { PRIORITY_STEP_MS, TURN_MS } from './queue-order.js';

const inventory: Inventory = emptyInventory({ workspace: 'w', infra: 'i', uuid: 'u' });
const ask = (operation: string, resources: string[], more: Partial<LockRequest> = {}): LockRequest => ({
  operation,
  kind: 'server',
  resources,
  actor: 'ann',
  ...more,
});
const names = (rows: { operation: string }[]) => rows.map(({ operation }) => operation);

/** Lets all that can go, one after the other, and says in which order. */
function drain(admission: Admission, now: number): string[] {
  const order: string[] = [];
  for (let holders = admission.admit(now); holders.length > 0; holders = admission.admit(now)) {
    order.push(...names(holders));
    for (const { grant } of holders) admission.release(grant);
  }
  return order;
}

describe('admission', () => {
  test('what clashes with nothing goes at once; what clashes waits, and says for what', () => {
    const admission = new Admission(() => inventory);
    admission.ask(ask('a', ['server/1']), 0);
    admission.ask(ask('b', ['server/2']), 1);
    admission.ask(ask('c', ['server/1', 'server/3']), 2);
    admission.ask(ask('d', ['server/3']), 3);
    admission.ask(ask('all', ['*']), 4);
    admission.ask(ask('look', []), 5);
    expect(names(admission.admit(6))).toEqual(['a', 'b', 'look']);
    expect(admission.waiter('c')?.blockedBy.map(({ operation, resource }) => [operation, resource])).toEqual([['a', 'server/1']]);
    // No request overtakes an earlier one with which it conflicts, even if no operation holds a lock there.
    expect(waitWords(admission.waiter('d'))).toMatch(/^waits for server 3, for which c waits before it since 1970-/);
    expect(waitWords(admission.waiter('c'))).toMatch(/^waits for server 1, held by a since 1970-/);
    expect(waitWords(admission.waiter('all'))).toMatch(/^waits for server 1, held by a since .* \(and 3 more\)$/);
    admission.release(2);
    admission.forget(['c']);
    expect(names(admission.admit(7))).toEqual(['d']);
  });

  test('the more urgent goes first, and each step of priority is worth five minutes of waiting', () => {
    const order = (later: number) => {
      const admission = new Admission(() => inventory);
      admission.ask(ask('busy', ['server/1']), 0);
      admission.admit(0);
      admission.ask(ask('low', ['server/1'], { priority: 5 }), 0);
      admission.ask(ask('high', ['server/1'], { priority: 1, actor: 'bob' }), later);
      admission.release(1);
      return drain(admission, later);
    };
    expect(order(4 * PRIORITY_STEP_MS - 1)).toEqual(['high', 'low']);
    expect(order(4 * PRIORITY_STEP_MS + 1)).toEqual(['low', 'high']);
  });

  test('who asks a thousand times at once does not keep the next one waiting, and is not kept waiting forever', () => {
    const admission = new Admission(() => inventory);
    admission.ask(ask('busy', ['server/1']), 0);
    admission.admit(0);
    for (let index = 0; index < 1_000; index++) admission.ask(ask(`flood-${index}`, ['server/1'], { flow: 'batch/x' }), 1);
    admission.ask(ask('bob', ['server/1'], { actor: 'bob' }), 12_000);
    // From then on another actor sends a request each second. The flood still gets its turn every five seconds.
    for (let second = 13; second < 113; second++)
      admission.ask(ask(`other-${second}`, ['server/1'], { actor: `o${second}` }), second * 1_000);
    admission.release(1);
    const order = drain(admission, 120_000);
    expect(order.indexOf('bob')).toBeLessThan(4);
    const among = order.slice(0, order.indexOf('other-112'));
    expect(among.filter((name) => name.startsWith('flood')).length).toBeGreaterThanOrEqual(Math.floor(100_000 / TURN_MS));
    const flood = order.filter((name) => name.startsWith('flood')).map((name) => Number(name.slice(6)));
    expect(flood).toEqual([...Array(1_000).keys()]);
  });

  test('who makes a network has it alone; once it is there its users go side by side', () => {
    const here: Inventory = { ...inventory, networks: {} };
    const admission = new Admission(() => here);
    const needs = { servers: ['x'], networks: ['n'] };
    admission.ask(ask('first', ['server/1'], { needs }), 0);
    admission.ask(ask('second', ['server/2'], { needs }), 1);
    admission.ask(ask('third', ['server/3'], { needs }), 2);
    expect(names(admission.admit(3))).toEqual(['first']);
    here.networks.n = { name: 'n', provider: 'demo', id: 'n', since: 'first' };
    admission.judgeAnew();
    expect(names(admission.admit(4))).toEqual([]);
    admission.release(1);
    expect(names(admission.admit(5))).toEqual(['second', 'third']);
  });

  test('operations go side by side where they go by the same definition', () => {
    const admission = new Admission(() => inventory);
    const by = (own?: string) => ({ needs: { definition: true, ...(own ? { own } : {}) } });
    admission.ask(ask('a', ['server/1'], by('x')), 0);
    admission.ask(ask('b', ['server/2'], by('x')), 1);
    admission.ask(ask('other', ['server/3'], by('y')), 2);
    admission.ask(ask('last', ['server/4'], by()), 3);
    expect(names(admission.admit(4))).toEqual(['a', 'b']);
    expect(waitWords(admission.waiter('other'))).toMatch(/^waits for the definition, held by a/);
  });

  test('of twenty thousand that wait, all are admitted', { timeout: 60_000 }, () => {
    const count = 20_000;
    const admission = new Admission(() => inventory);
    admission.ask(ask('all', ['*']), 0);
    admission.admit(0);
    for (let index = 0; index < count; index++) admission.ask(ask(`o-${index}`, [`server/${index % (count / 4)}`]), index);
    admission.release(1);
    expect(new Set(drain(admission, count)).size).toBe(count);
  });

  const wish = fc.record({
    resources: fc.oneof(
      {
        weight: 6,
        arbitrary: fc.uniqueArray(fc.constantFrom<string>('server/1', 'server/2', 'server/3', 'network/n'), { minLength: 1 }),
      },
      { weight: 1, arbitrary: fc.constant(['*'] as string[]) },
      { weight: 1, arbitrary: fc.constant([] as string[]) },
    ),
    priority: fc.integer({ min: 1, max: 5 }),
    actor: fc.constantFrom('ann', 'bob', 'eve'),
    needs: fc.option(
      fc.record({ networks: fc.constantFrom([], ['n'], ['m']), definition: fc.boolean(), own: fc.constantFrom('x', 'y') }),
      { nil: undefined },
    ),
  });
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), wish }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), which: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('continue' as const) }) },
  );

  test('whatever happens: no two that clash at work, nobody idle who could work, and nobody forgotten', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        let admission = new Admission(() => inventory);
        let now = 0;
        for (const one of actions) {
          now += 1_000;
          if (one.do === 'ask') admission.ask(ask(`o${now}`, one.wish.resources, one.wish as Partial<LockRequest>), now);
          else if (one.do === 'continue')
            admission = new Admission(() => inventory, unpack(JSON.parse(JSON.stringify(pack(admission.state())))));
          else {
            const all = one.do === 'release' ? admission.holders() : [...admission.holders(), ...admission.waiters()];
            const chosen = all[one.which % Math.max(1, all.length)];
            if (chosen && one.do === 'forget') admission.forget([chosen.operation]);
            else if (chosen && 'grant' in chosen) admission.release(chosen.grant);
          }
          admission.admit(now);
          const holders = admission.holders();
          holders.forEach((holder, index) => {
            for (const other of holders.slice(index + 1)) expect(clash(holder, other)).toBe(false);
          });
          const waiters = admission.waiters();
          for (const [index, waiter] of waiters.entries()) {
            const before = [...holders, ...waiters.slice(0, index)].filter((other) => clash(waiter, other));
            expect(before.length).toBeGreaterThan(0);
            expect(names(before)).toContain(waiter.blockedBy[0]?.operation);
          }
        }
        for (const { operation } of admission.holders()) admission.forget([operation]);
        const left = admission.size;
        expect(drain(admission, now)).toHaveLength(left);
        expect(admission.size).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

function clash(one: LockRequest, other: LockRequest): boolean {
  const others = listClaims(other, inventory);
  return listClaims(one, inventory).some(({ key, way }) =>
    others.some((claim) => claim.key === key && !compatible(way, claim.way)),
  );
}
