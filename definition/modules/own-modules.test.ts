import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { file } from '../../core/host/facts.js';
import { loadModules } from '../../core/registry.js';
import { runChecks } from '../../sdk/testing/index.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { describeTaskserv } from '../description/describe-taskserv.js';
import { type LoadedModule, type ModuleFolder, ModuleProblems, type OwnModule, ownModules } from './own-modules.js';

const PLATFORM = join(import.meta.dirname, '../../taskservs');
const addressOf = (code: string) => createHash('sha256').update(code).digest('hex');

let folder: string;
const workspace = (name: string): ModuleFolder => ({ origin: 'workspace', folder: join(folder, name) });
const found = (...folders: ModuleFolder[]) => ownModules(folders, taskservs, addressOf);
const problemsOf = (module: OwnModule | undefined) =>
  module?.load().then(
    () => [],
    (error: unknown) => (error instanceof ModuleProblems ? error.problems : [error]),
  );

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** A taskserv that writes a file, with more in it. */
const greeting = (more = '', name = 'greeting') => `
import { defineTaskserv, ensureFile, ensureNoFile, file, line } from 'provisioning/sdk';
import * as z from 'zod';
export const greeting = defineTaskserv({
  name: '${name}', category: 'system', description: 'Says something.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: z.strictObject({ words: line().default('hello') }),
  facts: () => ({ page: file('/etc/greeting') }),
  installed: (found) => (found.page.exists ? '1' : undefined),
  plan: ({ words }, found) => ensureFile(found.page, { content: words + '\\n' }),
  health: () => [{ title: 'it is there', command: 'test -f /etc/greeting' }],
  remove: (_, found) => ensureNoFile(found.page),
  ${more}
});
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-modules-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a taskserv of the platform, moved into a workspace', async () => {
  // Only the platform may use the credentials of a cloud account, and the library that reads YAML.
  const ofPlatform = ['cloud-dns', 'kubernetes-manifests'];
  const names = Object.keys(taskservs).filter((name) => !ofPlatform.includes(name));
  const place = await mkdtemp(join(tmpdir(), 'moved-modules-'));
  for (const name of names) {
    await cp(join(PLATFORM, name), join(place, 'taskservs', name), { recursive: true });
    for (const entry of await readdir(join(place, 'taskservs', name))) {
      if (!entry.endsWith('.ts')) continue;
      const path = join(place, 'taskservs', name, entry);
      const text = (await readFile(path, 'utf8')).replaceAll("'../../sdk/index.js'", "'provisioning/sdk'");
      await writeFile(
        path,
        text.replace(
          /(?:defineTaskserv|(?:package|settings|vendor|release|exporter|backup|keyValue)Service)(?:<.*>)?\(\{/,
          '$&\n  overrides: true,',
        ),
      );
    }
  }
  const modules = await ownModules([{ origin: 'workspace', folder: place }], taskservs, addressOf);
  const loaded: Record<string, LoadedModule> = {};
  for (const [name, module] of modules) loaded[name] = await module.load();
  afterAll(() => rm(place, { recursive: true, force: true }));

  test('compiles unchanged but for the name of the SDK', () => {
    expect(Object.keys(loaded).sort()).toEqual([...names].sort());
    expect([...modules.values()].every(({ instead }) => instead === 'platform')).toBe(true);
  });

  describe.each(names)('%s', (name) => {
    const own = loaded[name]?.taskserv;
    if (!own) throw new Error(`${name} was not made`);
    test.each(runChecks(own, join(PLATFORM, name)))('$title', ({ faults }) => expect(faults()).toEqual([]));
    test('is described alike', async () => {
      const { [name]: built } = await loadModules(taskservs, [name]);
      expect(built && describeTaskserv(own)).toEqual(built && describeTaskserv(built));
    });
  });
});

test('is found as NAME/NAME.ts and as NAME.ts, with what it imports', async () => {
  await write('one/taskservs/greeting/greeting.ts', greeting());
  await write('one/taskservs/words.ts', `import { words } from './lib/words.js';\n${greeting('after: words,', 'words')}`);
  await write('one/taskservs/lib/words.ts', "export const words = ['greeting'];\n");
  await write('one/taskservs/words.test.ts', 'throw new Error("no module");');
  const modules = await found(workspace('one'));
  expect([...modules.keys()]).toEqual(['greeting', 'words']);
  const loaded = await Promise.all([...modules.values()].map(({ load }) => load()));
  expect(loaded.map(({ taskserv, sources }) => [taskserv.name, taskserv.after, sources.length])).toEqual([
    ['greeting', undefined, 1],
    ['words', ['greeting'], 2],
  ]);
  expect(loaded[0]?.taskserv.facts({})).toEqual({ page: file('/etc/greeting') });
});

test('takes the place of another only where it says so', async () => {
  await write('user/taskservs/greeting.ts', greeting());
  await write('two/taskservs/greeting.ts', greeting());
  const user: ModuleFolder = { origin: 'user', folder: join(folder, 'user') };
  const refused = await found(user, workspace('two'));
  expect(await problemsOf(refused.get('greeting'))).toEqual([
    expect.objectContaining({
      message: 'there is a taskserv "greeting" of the user',
      suggestion: 'give it another name, or "overrides: true" to take its place',
    }),
  ]);
  await write('two/taskservs/greeting.ts', greeting('overrides: true,'));
  const module = (await found(user, workspace('two'))).get('greeting');
  expect([await problemsOf(module), module?.origin, module?.instead]).toEqual([[], 'workspace', 'user']);
  await write('two/taskservs/greeting/greeting.ts', greeting('overrides: true,'));
  expect(await problemsOf((await found(workspace('two'))).get('greeting'))).toEqual([
    expect.objectContaining({ message: '"greeting" is defined twice' }),
  ]);
});

test.each([
  ['no module', 'export const a = 1;', 'it exports no taskserv'],
  ['another name', greeting('', 'other'), 'it defines the taskserv "other", and its name is "bad"'],
  ['what cannot be read', 'export const = ;', 'Expected identifier but found "="'],
  ['what throws', 'throw new Error("broken");', 'Error: broken'],
  ['a package', "import 'left-pad';", '"left-pad" is no file of the workspace'],
  ['a module of Node', "import 'node:fs';", '"node:fs" is no file of the workspace'],
  ['a file outside', "import '../../secret.json';", 'is outside of'],
  ['a link that leads outside', "import './link.json';", 'is outside of'],
  ['a description that is none', greeting('description: 5,', 'bad'), 'not of the type that is asked for: description'],
])('is one problem where its file has %s', async (_, text, message) => {
  await write('secret.json', '{}');
  await write('bad/taskservs/bad.ts', text);
  await rm(join(folder, 'bad/taskservs/link.json'), { force: true });
  await symlink(join(folder, 'secret.json'), join(folder, 'bad/taskservs/link.json'));
  const modules = await found(workspace('bad'));
  expect(await problemsOf(modules.get('bad'))).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })]);
});
