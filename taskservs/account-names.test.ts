import { expect, test } from 'vitest';
import * as z from 'zod';
import { modules } from '../test/support/modules.js';

/** The patterns of a schema that take the name of an account, by the taskserv that has them. */
function accountPatterns(name: string, schema: unknown): [taskserv: string, pattern: string][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern } = schema as { pattern?: unknown };
  const own = typeof pattern === 'string' && /\[a-z_\]\[.*\{0,31\}/.test(pattern) ? [[name, pattern] as [string, string]] : [];
  return [...own, ...Object.values(schema).flatMap((one) => accountPatterns(name, one))];
}

const found = Object.entries(modules.taskservs).flatMap(([name, { config }]) =>
  accountPatterns(name, z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' })),
);

test('users and groups may have a dot in their names, wherever a definition names one', () => {
  expect(new Set(found.map(([name]) => name)).size).toBeGreaterThanOrEqual(9);
  for (const name of ['www-data', '_apt', 'john.doe']) {
    const refuses = found.filter(([, pattern]) => ![name, `${name}:${name}`].some((text) => new RegExp(pattern).test(text)));
    expect([name, refuses]).toEqual([name, []]);
  }
  for (const name of ['.john', '-john', 'john doe', 'john:x:y', 'john\n']) {
    expect([name, found.filter(([, pattern]) => new RegExp(pattern).test(name))]).toEqual([name, []]);
  }
});
