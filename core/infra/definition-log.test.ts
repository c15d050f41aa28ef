import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import type { Definition } from '../definition/definition.js';
import { addressOf, createDefinitionLog, DefinitionLog } from './definition-log.js';

const definition = (name: string, filler = ''): Definition => ({ infra: 'shop', servers: [], name, filler }) as never;
const [first, second, third] = [definition('first'), definition('second'), definition('third')];
const by = (operation: string) => ({ operation, actor: 'ada', at: `at ${operation}` });

function logWith(...applied: [string, Definition | undefined][]): DefinitionLog {
  const log = new DefinitionLog();
  for (const [operation, one] of applied) log.apply(one, by(operation));
  return log;
}

test('the address is SHA-256 of the JSON as it is written', () => {
  const known = (one: Definition) => createHash('sha256').update(JSON.stringify(one)).digest('hex');
  expect(addressOf(first)).toBe(known(first));
  const { infra, ...others } = first;
  expect(addressOf({ ...others, infra })).not.toBe(addressOf(first));
});

test('what was handed on stays as it was', () => {
  const log = logWith(['a', first]);
  const state = log.state();
  const text = JSON.stringify(state);
  log.apply(first, by('b'));
  log.apply(second, by('c'));
  log.undo({ of: 'c' }, by('back-c'));
  expect(JSON.stringify(state)).toBe(text);
});

describe('rolling back what applied the definition in force', () => {
  test('restores the one before it, and then the one before that', () => {
    const log = logWith(['a', first], ['b', second]);
    expect(log.staying('b')).toBeUndefined();
    expect(log.undo({ of: 'b', hash: addressOf(second) }, by('back-b'))).toBe(true);
    expect(log.inForce).toEqual(first);
    expect(log.undo({ of: 'a' }, by('back-a'))).toBe(true);
    expect(log.inForce).toBeUndefined();
    expect(log.rows().map(({ operation, undone }) => [operation, undone?.operation])).toEqual([
      ['b', 'back-b'],
      ['a', 'back-a'],
    ]);
  });

  test('waits for the last of those that applied the same one side by side', () => {
    const log = logWith(['a', first], ['b', second], ['c', second]);
    expect(log.staying('b')).toMatchObject({ operation: 'c' });
    expect(log.undo({ of: 'b' }, by('x'))).toBe(false);
    expect(log.inForce).toEqual(second);
    expect(log.undo({ of: 'c' }, by('y'))).toBe(true);
    expect(log.inForce).toEqual(first);
  });

  test('told twice changes nothing more', () => {
    const log = logWith(['a', first], ['a', second]);
    const undone = { of: 'a', hash: addressOf(second) };
    expect([log.undo(undone, by('x')), log.undo(undone, by('x'))]).toEqual([true, false]);
    expect(log.inForce).toEqual(first);
  });
});

describe('rolling back what applied an older one', () => {
  test('leaves the newer one, and what was rolled back does not come back with that', () => {
    const log = logWith(['a', first], ['b', second], ['c', third]);
    expect(log.staying('b')).toEqual({ operation: 'c', at: 'at c' });
    expect(log.undo({ of: 'b', former: first }, by('x'))).toBe(false);
    expect(log.inForce).toEqual(third);
    expect(log.undo({ of: 'c' }, by('y'))).toBe(true);
    expect(log.inForce).toEqual(first);
  });

  test('also where the newer one is the same again', () => {
    const log = logWith(['a', first], ['b', second], ['c', first]);
    expect(log.undo({ of: 'a' }, by('x'))).toBe(false);
    expect(log.inForce).toEqual(first);
  });

  test('also where the infra was deleted since', () => {
    const log = logWith(['a', first], ['b', undefined]);
    expect(log.undo({ of: 'a' }, by('x'))).toBe(false);
    expect(log.inForce).toBeUndefined();
  });
});

describe('where only the definition in force is known', () => {
  test('the one that its operation knew before it is restored', () => {
    const log = new DefinitionLog(createDefinitionLog(second, { operation: 'b', submitted: 'then' }));
    expect(log.undo({ of: 'a', former: third }, by('x'))).toBe(false);
    expect(log.undo({ of: 'b', former: first }, by('y'))).toBe(true);
    expect(log.inForce).toEqual(first);
  });

  test('and not whose it is, an operation is taken at its word', () => {
    const known = () => new DefinitionLog(createDefinitionLog(second));
    expect(known().undo({ of: 'a', hash: addressOf(first), former: third }, by('x'))).toBe(false);
    const log = known();
    expect(log.undo({ of: 'a', former: first }, by('x'))).toBe(true);
    expect(log.inForce).toEqual(first);
  });
});

describe('the log', () => {
  test('keeps the last twenty, and goes on from its state', () => {
    const log = new DefinitionLog();
    for (let turn = 0; turn < 30; turn++) log.apply(definition(`${turn}`), by(`${turn}`));
    const after = new DefinitionLog(JSON.parse(JSON.stringify(log.state())));
    expect(after.rows()).toEqual(log.rows());
    expect(after.rows().map(({ operation }) => operation)).toEqual(Array.from({ length: 20 }, (_, turn) => `${29 - turn}`));
    after.undo({ of: '29' }, by('x'));
    expect(after.inForce).toEqual(definition('28'));
  });

  test('keeps of very large ones the last two whole', () => {
    const large = (name: string) => definition(name, 'x'.repeat(5_000_000));
    const log = logWith(['a', large('a')], ['b', large('b')], ['c', large('c')]);
    expect(Object.keys(log.state().contents)).toEqual([large('b'), large('c')].map(addressOf));
    expect(log.undo({ of: 'c' }, by('x'))).toBe(true);
    // The former definition is unknown. It stays, because a guess would be worse.
    expect(log.undo({ of: 'b' }, by('y'))).toBe(false);
    expect(log.inForce).toEqual(large('b'));
    expect(log.undo({ of: 'b', former: large('a') }, by('y'))).toBe(true);
    expect(log.inForce).toEqual(large('a'));
  });

  test('of any that were applied and rolled back has in force the last that stands', () => {
    const steps = fc.array(
      fc.record({ undo: fc.boolean(), operation: fc.integer({ min: 0, max: 5 }), one: fc.integer({ min: 0, max: 3 }) }),
      { maxLength: 15 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const log = new DefinitionLog();
        /** Which was applied by whom, in order; the same one side by side is one. */
        let model: { one: number; by: number[] }[] = [];
        for (const { undo, operation, one } of all) {
          const last = model.at(-1);
          if (!undo) {
            log.apply(definition(`${one}`), by(`${operation}`));
            if (last?.one !== one) model.push({ one, by: [operation] });
            else if (!last.by.includes(operation)) last.by.push(operation);
          } else {
            log.undo({ of: `${operation}` }, by('back'));
            const own = model.findLast((entry) => entry.by.includes(operation));
            if (own) own.by = own.by.filter((other) => other !== operation);
            model = model.filter((entry) => entry.by.length > 0);
          }
          const wanted = model.at(-1);
          expect(log.inForce).toEqual(wanted && definition(`${wanted.one}`));
        }
      }),
    );
  });
});
