import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { type Client, clientOver } from '../../client/client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner } from '../principal.js';

function clientOf(): Client {
  const engine = { stores: {} } as unknown as Engine;
  return clientOver({
    ...createDispatcher({ engine, principal: createOwner('ann@desk'), checksAnswers: true }),
    close: async () => {},
  });
}

const { definitions, taskservs } = clientOf();
const main = 'infra/shop.yaml';
const SHOP = `infra: shop
provider: local
servers:
  - name: web
    taskservs: [nginx, redis]
`;
const validate = (files: Record<string, string>, more: object = {}) =>
  definitions.validate({ workspace: 'default', main, files, ...more });

test('a definition is checked with what it includes, its variables and its rules', async () => {
  expect(await validate({ [main]: SHOP })).toEqual({
    ...{ valid: true, infra: 'shop', servers: 1, taskservs: 2 },
    ...{ problems: [], warnings: [], excepted: [] },
  });
  const parts = {
    [main]:
      'include: [../base.yaml]\nvars:\n  count: { type: number, default: 1 }\nservers:\n  - name: web\n    count: "{{ vars.count }}"\n',
    'base.yaml': 'infra: shop\nprovider: local\n',
  };
  expect(await validate(parts, { variables: { count: '3' } })).toMatchObject({ valid: true, infra: 'shop', servers: 3 });
});

test('each problem has its place in the files as they were sent, and nothing is left on the machine', async () => {
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith('provisioning-check-'));
  const { valid, problems } = await validate({
    [main]: SHOP.replace('nginx', 'ngnix').replace('provider: local', 'provider: locl'),
  });
  expect(valid).toBe(false);
  expect(problems).toEqual([
    expect.objectContaining({ file: main, line: 2, path: 'provider' }),
    expect.objectContaining({ file: main, line: 5, suggestion: expect.stringContaining('nginx') }),
  ]);
  expect(JSON.stringify(problems)).not.toContain(tmpdir());
  const after = (await readdir(tmpdir())).filter((name) => name.startsWith('provisioning-check-'));
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
});

test.each([
  ['a file of the machine', { include: ['/etc/passwd'] }],
  ['a file above the folder', { include: ['../../secret.yaml'] }],
])('%s is not read', async (_, more) => {
  const { valid, problems } = await validate({ [main]: `${SHOP}${JSON.stringify(more).slice(1, -1)}\n` });
  expect(valid).toBe(false);
  expect(JSON.stringify(problems)).not.toContain('root:');
});

test('no environment variable of the platform is read', async () => {
  process.env.CHECKED_SECRET = 'xyzzy';
  const { valid, problems } = await validate({ [main]: `${SHOP}interpolate: true\nlabels: { a: "{{ env.CHECKED_SECRET }}" }\n` });
  delete process.env.CHECKED_SECRET;
  expect(valid).toBe(false);
  expect(JSON.stringify(problems)).not.toContain('xyzzy');
});

test.each([
  ['without its main file', { 'other.yaml': SHOP }, {}],
  ['that is a program', { 'shop.ts': 'export default {}' }, { main: 'shop.ts' }],
  ['whose file is a folder as well', { [main]: SHOP, infra: SHOP }, {}],
])('files of a definition %s are refused', async (_, files, more) => {
  await expect(validate(files as Record<string, string>, more)).rejects.toMatchObject({ details: { code: 'bad-bundle' } });
});

test.each(['../shop.yaml', '/etc/shop.yaml', 'a//b.yaml'])('the path %s is refused', async (path) => {
  await expect(validate({ [path]: SHOP }, { main: path })).rejects.toMatchObject({ details: { code: 'bad-request' } });
});

test('a taskserv is checked with its version and its configuration', async () => {
  const { version, ...valid } = await taskservs.check({ taskserv: 'redis', config: { port: 6_400 } });
  expect(valid).toEqual({ valid: true, problems: [] });
  expect((await taskservs.show({ taskserv: 'redis' })).versions.supported).toContain(version);
  const wrong = await taskservs.check({ taskserv: 'redis', version: '0.0.1', config: { port: 'many', prot: 1 } });
  expect(wrong.valid).toBe(false);
  expect(wrong.version).toBeUndefined();
  expect(wrong.problems.map(({ path }) => path)).toEqual(expect.arrayContaining(['port', 'prot']));
  await expect(taskservs.check({ taskserv: 'reddis' })).rejects.toMatchObject({ details: { code: 'unknown-taskserv' } });
});
