import { describe, expect, test } from 'vitest';
import { globalOrder } from '../../core/definition/service-order.js';
import { load } from '../fixtures.js';
import { problemText } from '../source/problem.js';

const HEAD = 'infra: shop\ninterpolate: true\nservers: [{ name: db }, { name: web }]\ntaskservs:\n';

async function orderOf(entries: string): Promise<string[]> {
  const { definition, problems } = await load(HEAD + entries);
  expect(problems.map(problemText)).toEqual([]);
  const servers = definition?.servers ?? [];
  return globalOrder({ ensureServices: servers.map((server) => ({ server, taskservs: server.taskservs })) } as never);
}

const problemsOf = async (entries: string) => (await load(HEAD + entries)).problems.map(problemText);

describe('an order by hand', () => {
  test.each([
    ['before', '  - { name: panel, before: [base] }\n  - base\n', ['panel', 'base']],
    ['after', '  - base\n  - { name: base, on: { server: db }, after: [panel] }\n  - panel\n', ['panel', 'base']],
    [
      'on other servers',
      '  - { name: panel, on: { server: db }, before: [base] }\n  - { name: base, on: { server: web } }\n',
      ['panel', 'base'],
    ],
    ['both', '  - { name: rival, before: [panel], after: [reader] }\n  - panel\n  - reader\n', ['reader', 'rival', 'panel']],
    ['in place of a preference', '  - { name: web, before: [redis] }\n  - redis\n', ['web', 'redis']],
    ['in place of a preference of the other', '  - web\n  - { name: redis, after: [web] }\n', ['web', 'redis']],
  ])('%s', async (_, entries, order) => {
    expect(await orderOf(entries)).toEqual(order);
  });

  test('cannot replace what a taskserv requires', async () => {
    expect(await problemsOf('  - { name: base, after: [proxy] }\n  - proxy\n')).toEqual([
      expect.stringContaining('dependency cycle: base → proxy → base'),
    ]);
  });

  test('cannot replace what a taskserv refers to', async () => {
    const entries =
      '  - { name: web, on: { server: web }, before: [redis], config: { port: "{{ servers.db.taskservs.redis.port }}" } }\n  - { name: redis, on: { server: db } }\n';
    expect(await problemsOf(entries)).toEqual([expect.stringContaining('dependency cycle')]);
  });

  test.each([
    ['  - { name: web, before: [rediss] }\n  - redis\n', 'no server has the taskserv "rediss"; did you mean "redis"?'],
    ['  - { name: web, after: [web] }\n', '"web" cannot come after itself; remove it from the list'],
  ])('names a taskserv of the definition: %s', async (entries, problem) => {
    expect(await problemsOf(entries)).toEqual([expect.stringContaining(problem)]);
  });
});
