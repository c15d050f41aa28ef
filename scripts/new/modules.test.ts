import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { AnyProvider } from '../../core/machine/provider.js';
import type { TaskservRegistry } from '../../core/registry.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { providers } from '../../providers/registry.generated.js';
import { faultsIn } from '../../sdk/testing/index.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { generateRegistries, knownOf } from '../generate/registry.js';
import { create } from './main.js';

const root = mkdtempSync(join(tmpdir(), 'provisioning-new-'));
for (const shared of ['core', 'sdk', 'node_modules']) symlinkSync(join(import.meta.dirname, '../..', shared), join(root, shared));
afterAll(() => rmSync(root, { recursive: true }));

it('makes a taskserv that decides as its cases say', async () => {
  const files = await create(root, 'taskserv', 'my-cache');
  const [definition] = files.filter((path) => path.endsWith('my-cache.ts'));
  const { myCache } = (await import(definition as string)) as { myCache: AnyTaskserv };
  expect(myCache.name).toBe('my-cache');
  expect(files.filter((path) => path.includes('/cases/')).length).toBeGreaterThanOrEqual(4);
  expect(faultsIn(myCache, join(root, 'taskservs', 'my-cache'))).toEqual([]);
});

it('makes a provider that asks for its own token, and for nothing else', async () => {
  const files = (await create(root, 'provider', 'my-cloud')).map((path) => path.slice(root.length + 1));
  expect(files).toEqual(expect.arrayContaining(['providers/my-cloud/index.ts', 'test/contracts/my-cloud.test.ts']));
  for (const path of files) expect(readFileSync(join(root, path), 'utf8'), path).not.toMatch(/__[A-Z]+__/);
  const { myCloud } = (await import(join(root, 'providers/my-cloud/index.ts'))) as { myCloud: AnyProvider };
  const asked: string[] = [];
  const secret = async (name: string) => void asked.push(name);
  const config = myCloud.config.parse({ account: 'prod' });
  const token = 'x y';
  await expect(myCloud.connect(config, { env: {}, secret })).rejects.toMatchObject({ details: { code: 'no-credentials' } });
  const odd = myCloud.connect(config, { env: { MY_CLOUD_TOKEN_PROD: token }, secret });
  await expect(odd).rejects.toMatchObject({
    details: { code: 'credentials', hint: expect.stringContaining('MY_CLOUD_TOKEN_PROD') },
  });
  await expect(odd).rejects.not.toThrow(token);
  expect(asked).toEqual(['my-cloud/prod/token']);
});

it('leaves a test alone that bears the name of a provider to be', async () => {
  const path = join(root, 'test/contracts/taken.test.ts');
  mkdirSync(join(root, 'test/contracts'), { recursive: true });
  writeFileSync(path, 'theirs');
  await expect(create(root, 'provider', 'taken')).rejects.toThrow('test/contracts/taken.test.ts is there already');
  expect(readFileSync(path, 'utf8')).toBe('theirs');
});

it.each([
  ['service', 'x', 'unknown-kind'],
  [undefined, undefined, 'unknown-kind'],
  ['taskserv', undefined, 'no-name'],
  ['taskserv', 'My_Cache', 'bad-name'],
  ['taskserv', '../escape', 'bad-name'],
  ['taskserv', 'import', 'bad-name'],
  ['taskserv', 'config', 'bad-name'],
  ['taskserv', 'twice', 'exists'],
  ['provider', undefined, 'no-name'],
  ['provider', 'My Cloud', 'bad-name'],
  ['provider', '../escape', 'bad-name'],
  ['provider', 'export', 'bad-name'],
  ['provider', 'behind', 'bad-name'],
  ['provider', 'test', 'bad-name'],
  ['provider', 'twice', 'exists'],
])('refuses %s %s: %s', async (kind, name, code) => {
  const rest = name === undefined ? [] : [name];
  if (code === 'exists') await create(root, kind, ...rest);
  await expect(create(root, kind, ...rest)).rejects.toMatchObject({ details: { code } });
});

it.each([
  [undefined, undefined, 'no-name'],
  ['fine', undefined, 'no-name'],
  ['My_Question', 'providers.fine', 'bad-name'],
  ['../escape', 'providers.fine', 'bad-name'],
  ['import', 'providers.fine', 'bad-name'],
  // A workflow of that type, and an activity `findCompensations`.
  ['import-server', 'providers.fine', 'bad-name'],
  ['compensations', 'providers.fine', 'bad-name'],
  ['fine', 'providers', 'bad-name'],
  ['fine', 'providers.plans', 'exists'],
])('refuses the workflow %s, run by the method %s: %s', async (name, method, code) => {
  const repository = join(import.meta.dirname, '../..');
  const rest = [name, method].filter((one) => one !== undefined);
  await expect(create(repository, 'workflow', ...rest)).rejects.toMatchObject({ details: { code } });
  expect(existsSync(join(repository, 'core/schema/fine.ts'))).toBe(false);
});

it('registers every folder that has a module, under its name, with what is known of it', async () => {
  mkdirSync(join(root, 'taskservs', 'empty'), { recursive: true });
  await create(root, 'taskserv', 'plain');
  await generateRegistries(root);
  const { taskservs } = (await import(join(root, 'taskservs', 'registry.generated.ts'))) as { taskservs: TaskservRegistry };
  expect(Object.keys(taskservs)).not.toContain('empty');
  const { load, ...known } = taskservs['my-cache'] as TaskservRegistry[string];
  expect(known).toEqual(knownOf(await load(), 'taskservs'));
  expect(known).toMatchObject({ name: 'my-cache', description: 'Runs my-cache.', category: 'system' });
});

it('refuses a module that does not export its name', async () => {
  const other = join(root, 'elsewhere', 'taskservs', 'other');
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, 'other.ts'), 'export const another = {};\n');
  await expect(generateRegistries(join(root, 'elsewhere'))).rejects.toThrow('other/other.ts exports no other');
});

it.each([
  ['taskservs', taskservs],
  ['providers', providers],
] as const)('says in the registry of %s what the modules say', async (room, registry) => {
  for (const { load, ...said } of Object.values(registry)) {
    const { published: _, ...known } = { published: undefined, ...said };
    expect(known).toEqual(knownOf(await load(), room));
  }
});
