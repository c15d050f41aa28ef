import { expect, test } from 'vitest';
import { describeMutant, mutantsIn, withMutant, withReports } from './mutants.js';

const TEXT = `class A extends B {
  constructor(readonly on: true) {
    super();
    log('x');
    if (on && count() < 3) this.more = false;
  }
}
`;

test('finds operators, conditions, calls and values, and leaves types and super alone', () => {
  expect(mutantsIn('a.ts', TEXT).map((mutant) => describeMutant(TEXT, mutant))).toEqual([
    "a.ts:4: call: log('x'); → nothing",
    'a.ts:5: condition: on && count() < 3 → !(on && count() < 3)',
    'a.ts:5: operator: && → ||',
    'a.ts:5: operator: < → <=',
    'a.ts:5: value: false → true',
  ]);
});

test('changes this place alone', () => {
  const [call] = mutantsIn('a.ts', TEXT);
  expect(withMutant(TEXT, call as never)).toBe(TEXT.replace("log('x');", ';'));
});

test('each place reports that it is reached, places inside others too', () => {
  const places = new Map(mutantsIn('a.ts', TEXT).entries());
  expect(withReports(TEXT, places)).toBe(`class A extends B {
  constructor(readonly on: true) {
    super();
    { globalThis.__reached?.(0); log('x'); }
    if ((globalThis.__reached?.(1), (globalThis.__reached?.(2), on && (globalThis.__reached?.(3), count() < 3)))) this.more = (globalThis.__reached?.(4), false);
  }
}
`);
});
