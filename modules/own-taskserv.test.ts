import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FoundFile, file } from '../core/host/facts.js';
import { LIMITS } from '../core/limits.js';
import { reveal } from '../core/taskserv/secret.js';
import { compileModule } from '../definition/modules/compile.js';
import { ownTaskserv } from './own-taskserv.js';
import { openSandbox } from './sandbox.js';

const HOST = { name: 'a', role: 'web', os: 'debian', arch: 'amd64', cores: 1, memoryMiB: 1024 };
const context = { host: HOST, peers: [], version: '1' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-taskserv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Creates a module with these expressions as its plan, health and facts. */
async function moduleWith({ plan = '[]', health = '[]', facts = '{}', before = '' } = {}) {
  const path = join(folder, 'odd.ts');
  await writeFile(
    path,
    `import { defineTaskserv, ensureFile, fact, file, text } from 'provisioning/sdk';
import { z } from 'zod';
${before}
export default defineTaskserv({
  name: 'odd', category: 'system', description: 'Is odd.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: z.object({ secret: z.any() }).partial(),
  facts: () => (${facts}),
  installed: () => undefined,
  plan: (config: any, found: any, context: any): any => (${plan}),
  health: (): any => (${health}),
  remove: () => [],
});`,
  );
  const compiled = await compileModule(path, folder);
  if (Array.isArray(compiled)) throw new Error(compiled.map(({ message }) => message).join());
  return ownTaskserv('odd', compiled.code, 'a'.repeat(64));
}

const step = (title: string) => `[{ title: ${title}, run: 'true', undo: ':' }]`;
const failing = (why: string) =>
  expect.objectContaining({ details: expect.objectContaining({ code: 'module-failed', why: expect.stringContaining(why) }) });
const caught = (use: () => unknown): unknown => {
  try {
    return use();
  } catch (error) {
    return error;
  }
};

describe('a module has the language and nothing else', () => {
  test.each([
    'process',
    'globalThis.require',
    'fetch',
    'globalThis.Buffer',
    'setTimeout',
    'WebAssembly',
    'navigator',
    'globalThis.Deno',
    'globalThis.std',
    'globalThis.os',
  ])('no %s', async (name) => {
    const own = await moduleWith({ plan: step(`typeof ${name}`) });
    expect(own.plan({}, {}, context)).toMatchObject([{ title: 'undefined' }]);
  });

  test.each([
    ['a constructor', "[].constructor.constructor('return typeof process')()"],
    ['what it is given', "context.constructor.constructor('return typeof process')()"],
    ['what compares files', "(globalThis as any).__isAsWanted.constructor('return typeof process')()"],
  ])('nothing of the process by way of %s', async (_, expression) => {
    const own = await moduleWith({ plan: step(expression) });
    expect(own.plan({}, {}, context)).toMatchObject([{ title: 'undefined' }]);
  });

  test.each([
    ['Math.random()', 'Math.random is not there'],
    ['Date.now()', 'Date.now is not there'],
    ['new Date().toISOString()', 'the time is not there'],
    ['(new Date(0).constructor as DateConstructor).now()', 'Date.now is not there'],
    ['new (new Date(0).constructor as DateConstructor)()', 'the time is not there'],
    ["Object.getOwnPropertyDescriptor(Date, 'now')?.value()", 'Date.now is not there'],
  ])('%s, which would differ from call to call, is refused', async (expression, why) => {
    const own = await moduleWith({ plan: step(`String(${expression})`) });
    expect(caught(() => own.plan({}, {}, context))).toEqual(failing(why));
  });
});

describe('is stopped', () => {
  test('where it never ends, and is not asked again at once', async () => {
    const own = await moduleWith({ plan: '(() => { for (;;); })()' });
    const why = `it exceeds ${LIMITS.moduleSeconds} s of processor time`;
    expect(caught(() => own.plan({}, {}, context))).toEqual(failing(why));
    // The answer that the module would give.
    expect(caught(() => own.health({}, context))).toEqual(failing(why));
  });
  test.each([
    ['large pieces', 'all.push(new Uint8Array(8 << 20))'],
    ['small pieces', 'all.push({ a: [all.length] })'],
    ['text', 'all.push(`${all.length}`.repeat(1_000))'],
  ])('where it takes too much memory: %s', async (_, more) => {
    const own = await moduleWith({ plan: `(() => { const all: any[] = []; for (;;) ${more}; })()` });
    expect(caught(() => own.plan({}, {}, context))).toEqual(failing('it takes more than 64 MiB of memory'));
  });
  test.each(['indexOf', 'includes', 'lastIndexOf'])('where one instruction of the engine never ends: %s', async (search) => {
    const code = `globalThis.__takeExported = () => ''; globalThis.__answer = () => [].${search}.call({ length: 2 ** 53 - 1 }, 1);`;
    const sandbox = await openSandbox('odd', code, 300);
    expect(caught(() => sandbox.ask('plan', []))).toEqual(failing('it exceeds 0.3 s'));
    expect(caught(() => sandbox.ask('plan', []))).toEqual(failing('it exceeds 0.3 s'));
  });
  test('where it calls itself without end', async () => {
    const own = await moduleWith({ before: 'const deep = (): any => [deep()];', plan: 'deep()' });
    expect(caught(() => own.plan({}, {}, context))).toEqual(failing('its recursion is too deep'));
  });
  test('where it answers too much', async () => {
    const own = await moduleWith({ plan: step(`'x'.repeat(${LIMITS.moduleAnswer})`) });
    expect(caught(() => own.plan({}, {}, context))).toEqual(failing('at most 4 MiB are allowed'));
  });
});

test.each([
  ['no list', '5'],
  ['a step of no kind', "[{ title: 'x', eval: 'y' }]"],
  ['a path that is none', "[{ title: 'x', absent: { path: 'etc' } }]"],
  ['a step with more in it', "[{ title: 'x', run: 'true', root: true }]"],
  ['a mode that is none', "[{ title: 'x', file: { path: '/x', content: '', mode: '+s' } }]"],
])('a plan with %s is refused', async (_, plan) => {
  const own = await moduleWith({ plan });
  expect(caught(() => own.plan({}, {}, context))).toEqual(failing('not of the type that is asked for'));
});

test('its commands are marked as those of the definition, so that a preview names them', async () => {
  const own = await moduleWith({
    facts: "{ users: fact('getent passwd', ({ exit }) => exit, 0), conf: file('/conf') }",
    health: "[{ title: 'it answers', command: 'widget ask' }, { title: 'port', tcp: 80 }]",
  });
  expect(own.facts({}).users).toMatchObject({ given: { entry: 'users', command: 'getent passwd' } });
  expect(own.facts({}).conf).toEqual(file('/conf'));
  expect(own.health({}, context)).toEqual([
    { title: 'it answers', command: 'widget ask', given: { entry: 'it answers', command: 'widget ask', isCheck: true } },
    { title: 'port', tcp: 80 },
  ]);
});

test('a fact that is no plain data is refused', async () => {
  const own = await moduleWith({ facts: "{ users: fact('true', () => new Map([['a', 1]]), []) }" });
  const { users } = own.facts({});
  if (users?.kind !== 'command') throw new Error('it is no command');
  expect(caught(() => users.parse({ stdout: '', exit: 0 }))).toEqual(failing('the fact "users" is no plain data'));
});

test('files are compared where the values of secrets are known, and show their names', async () => {
  const own = await moduleWith({
    facts: "{ closed: file('/closed'), open: file('/open') }",
    plan: "[...ensureFile(found.closed, { content: text`password ${config.secret}`, mode: '0600' }, `${found.closed.content}, ${found.open.content}`)]",
  });
  const revealed = (wanted: Parameters<typeof reveal>[0]) => reveal(wanted, () => 'hunter2');
  const planWith = (content: string) =>
    own.plan(
      { secret: { $secret: 'db' } },
      {
        closed: new FoundFile('/closed', { exists: true, content, mode: '0600' }, revealed),
        open: new FoundFile('/open', { exists: true, content: 'shown', mode: '0644' }, revealed),
      },
      context,
    );
  expect(planWith('password hunter2')).toEqual([]);
  expect(planWith('hunter2 and former')).toEqual([
    { title: '(secret db) and former, shown', file: { path: '/closed', content: ['password ', { $secret: 'db' }], mode: '0600' } },
  ]);
});
