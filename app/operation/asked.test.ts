import { expect, test } from 'vitest';
import { type AskedOperation, changeAction, infraOf, submitAction } from './asked.js';

const asked = (verb: string, more: Partial<AskedOperation> = {}) =>
  ({ workspace: 'default', infra: 'shop', intent: { verb }, ...more }) as AskedOperation;

test.each([
  ['ensure', 'operation:apply'],
  ['delete', 'operation:delete'],
  ['rollback', 'operation:rollback'],
] as const)('to %s is the action %s, and its preview is another one', (verb, action) => {
  expect(changeAction(asked(verb))).toBe(action);
  expect(submitAction(asked(verb))).toBe(action);
  expect(submitAction(asked(verb, { check: true }))).toBe('operation:preview');
});

test.each([
  ['ensure', undefined, false],
  ['ensure', false, false],
  ['ensure', true, true],
  ['ensure', ['server web'], true],
  ['delete', undefined, true],
  ['rollback', undefined, false],
])('permission to destroy is needed to %s with allowDestroy %j: %s', (verb, allowDestroy, destroys) => {
  const more = (allowDestroy === undefined ? {} : { allowDestroy }) as Partial<AskedOperation>;
  expect(infraOf(asked(verb, more))).toEqual({ type: 'Infra', id: 'default/shop', ...(destroys && { destroys: true }) });
});
