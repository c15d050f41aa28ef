import { expect, test } from 'vitest';
import * as z from 'zod';
import { type AnyMethod, actionsOf } from './method.js';
import { METHODS } from './methods.generated.js';

test.each(Object.values<AnyMethod>(METHODS).map(({ name, input }) => [name, input] as const))(
  'the input of %s is judged and not changed: it has no defaults and no transforms',
  (_, input) => {
    const schemaOf = (io: 'input' | 'output') => z.toJSONSchema(input, { unrepresentable: 'any', io });
    expect(schemaOf('input')).toEqual(schemaOf('output'));
  },
);

test('every method names actions, and resources of the list', () => {
  const wrong = Object.values<AnyMethod>(METHODS).filter(
    (method) => actionsOf(method).length === 0 || !actionsOf(method).every((action) => /^[a-z-]+:[a-z-]+$/.test(action)),
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
