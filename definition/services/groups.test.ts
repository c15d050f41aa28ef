import { expect, test } from 'vitest';
import { load } from '../fixtures.js';
import { problemText } from '../source/problem.js';

const define = (names: string, entry = '{ name: ring, config: { group: main } }') =>
  load(`infra: shop\nservers:\n${[...names].map((name) => `  - { name: ${name} }\n`).join('')}taskservs:\n  - ${entry}\n`);
const specsOf = async (...args: Parameters<typeof define>) =>
  (await define(...args)).definition?.servers.map(({ name, taskservs: [spec] }) => [name, spec?.group, spec?.refersTo]);
const warningsOf = (loaded: Awaited<ReturnType<typeof load>>) => (loaded.definition && loaded.warnings)?.map(problemText);

test('members of a group have its name, and each refers to the others', async () => {
  const at = (server: string) => ({ server, taskserv: 'ring' });
  expect(await specsOf('abc')).toEqual([
    ['a', 'main', [at('b'), at('c')]],
    ['b', 'main', [at('a'), at('c')]],
    ['c', 'main', [at('a'), at('b')]],
  ]);
});

test('a service that is alone is as without groups', async () => {
  const loaded = await define('ab', 'ring');
  expect(loaded.definition?.servers[0]?.taskservs[0]).toEqual({ name: 'ring', version: '2', config: {}, endpoints: [], after: [] });
  expect(warningsOf(loaded) ?? []).toEqual([]);
});

test('two members are a problem with its place, and one or three are none', async () => {
  const { problems } = await define('ab');
  expect(problems.map(problemText)).toEqual([
    expect.stringMatching(
      /:6:\d+: taskservs\[0\]: the ring group "main" has two members, and stops when either of them is lost; use three members, or one$/,
    ),
  ]);
  for (const names of ['a', 'abc']) expect((await define(names)).problems).toEqual([]);
});

test('an even number is a warning', async () => {
  const loaded = await define('abcd');
  expect(loaded.problems).toEqual([]);
  expect(warningsOf(loaded)).toEqual([
    expect.stringContaining('has 4 members, and survives the loss of 1, as 3 members do; use 3 or 5 members'),
  ]);
  expect(warningsOf(await define('abc')) ?? []).toEqual([]);
});

test('members at one address are a warning', async () => {
  const host = (name: string, address: string, port = 22) =>
    `  - { name: ${name}, host: { address: ${address}, port: ${port} } }\n`;
  const servers = host('a', '10.0.0.1') + host('b', '10.0.0.2') + host('c', '10.0.0.1', 2222);
  const loaded = await load(`infra: shop\nservers:\n${servers}taskservs:\n  - { name: ring, config: { group: main } }\n`);
  expect(loaded.problems.map(problemText)).toEqual([]);
  expect(warningsOf(loaded)).toEqual([
    expect.stringContaining('"c" and "a" are both at 10.0.0.1, and the ring group "main" may lose'),
  ]);
});
