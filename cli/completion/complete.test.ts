import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unreachableError } from '../../core/errors.js';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { commands } from '../commands.js';
import { runLine } from '../fake-run.js';
import { type Fakes, fakeSession, inventoryNamed } from '../fake-session.js';
import { complete } from './complete.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'completion-'));
});
afterAll(() => rm(root, { recursive: true }));

const named = (infra: string, ...names: string[]): Inventory => ({
  ...inventoryNamed(infra),
  servers: Object.fromEntries(names.map((name) => [name, { name } as InventoryServer])),
});
const INVENTORIES = [named('shop', 'web-1', 'web-2', 'db'), named('blog', 'web-9')];
const ENGINE = {
  'infras.list': async ({ workspace }: { workspace: string }) =>
    workspace === 'default' ? INVENTORIES.map(({ infra }) => infra) : ['other'],
  'infras.inventory': async ({ infra }: { infra: string }) => INVENTORIES.find((one) => one.infra === infra),
  'operations.list': async () => [{ operation: 'cluster-ensure-shop-1' }, { operation: 'server-stop-blog-2' }],
  'batches.list': async () => [{ batch: 'batch-1' }],
} as unknown as Fakes;

/** Returns the candidates for the last word of a line, and the instruction for the shell. */
async function offered(line: string | string[], client: Fakes = ENGINE): Promise<[string, string[]]> {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const text = await complete(words, ({ workspace }) => fakeSession({ root, client, ...(workspace ? { workspace } : {}) }));
  const [answer = '', ...lines] = text.trimEnd().split('\n');
  return [answer, lines.map((one) => one.split('\t')[0] ?? '')];
}

describe('words that are known without an engine', () => {
  test.each([
    ['ser', ['server', 'service-account', 'serve']],
    ['server st', ['start', 'stop', 'status']],
    ['s st', ['start', 'stop', 'status']],
    ['help unb', ['unbound']],
    ['server create --on-f', ['--on-failure']],
    ['server create --on-failure ', ['rollback', 'rollback-service', 'keep', 'ask']],
    ['server create --on-failure=k', ['--on-failure=keep']],
    ['taskserv show unb', ['unbound']],
    ['schema --taskserv dns', ['dns-records', 'dnsmasq']],
    ['taskserv create redis,unb', ['redis,unbound']],
    ['provider plans het', ['hetzner']],
    ['completion ', ['bash', 'fish', 'zsh']],
    ['--workspace w ser', ['server', 'service-account', 'serve']],
    ['nonsense x', []],
    ['version x', []],
    ['version ch', ['check']],
    ['version check trae', ['traefik']],
    ['server ssh web-1 -- x', []],
  ])('%s', async (line, words) => expect(await offered(line, {})).toEqual(['words', words]));

  test('each command is offered, word by word, and each of its options', async () => {
    for (const { name, load } of commands) {
      const words = name.split(' ');
      for (const [index, word] of words.entries()) expect((await offered([...words.slice(0, index), word]))[1]).toContain(word);
      const flags = ((await load()).command.options ?? []).map((option) => option.flags.split(' ')[0]);
      expect((await offered([...words, '--']))[1]).toEqual(expect.arrayContaining([...flags, '--json', '--help']));
    }
  });

  test.each(['apply ', 'validate x', 'server create --file ', 'backup restore a', 'backup list '])('files for "%s"', async (line) =>
    expect(await offered(line)).toEqual(['files', []]),
  );
});

describe('names of the engine', () => {
  test.each([
    ['inventory ', ['blog', 'shop']],
    ['delete s', ['shop']],
    ['server list --infra ', ['blog', 'shop']],
    ['server list --infra=s', ['--infra=shop']],
    ['server list --infra = s', ['shop']],
    ['server list --infra =', ['blog', 'shop']],
    ['--workspace other inventory ', ['other']],
    ['server ssh web', ['web-1', 'web-2', 'web-9']],
    ['server ssh --infra shop web', ['web-1', 'web-2']],
    ['server stop web-1,w', ['web-1,web-1', 'web-1,web-2', 'web-1,web-9']],
    ['server delete db we', ['web-1', 'web-2', 'web-9']],
    ['taskserv update redis --server d', ['db']],
    ['workflow status ', ['cluster-ensure-shop-1', 'server-stop-blog-2']],
    ['wf cancel s', ['server-stop-blog-2']],
    ['batch follow ', ['batch-1']],
    ['logs ', ['engine', 'worker', 'cluster-ensure-shop-1', 'server-stop-blog-2']],
  ])('%s', async (line, words) => expect(await offered(line)).toEqual(['words', words]));

  test('secrets come from the store', async () => {
    await runLine('secret set redis-password', { root, stdin: 'x' });
    expect(await offered('secret get re')).toEqual(['words', ['redis-password']]);
  });

  test('that a shell would obey are not offered, nor what would be an option or a second line', async () => {
    const bad = [
      '$(touch x)',
      '`x`',
      'a;b',
      'a b',
      "a'",
      'a"',
      'a\nwords',
      'a\tb',
      '-rf',
      '--yes',
      '\u001b[2J',
      '*',
      '~root',
      'a&b',
      'a|b',
      'a>b',
      '!!',
    ];
    expect(await offered('inventory ', { 'infras.list': async () => [...bad, 'shop'] })).toEqual(['words', ['shop']]);
    expect(await offered(['server', 'list', '--infra=$(x)'])).toEqual(['words', []]);
    expect(await offered(['server', 'stop', '$(x),w'])).toEqual(['words', []]);
  });

  test('are left out where nobody answers, or not in time', async () => {
    const none = unreachableError({ code: 'engine-not-running', what: 'find the engine', why: 'none runs' });
    expect(await offered('inventory ', { 'infras.list': async () => Promise.reject(none) })).toEqual(['words', []]);
    expect(await offered('logs e', { 'operations.list': async () => Promise.reject(none) })).toEqual(['words', ['engine']]);
    expect(await offered('inventory ', { 'infras.list': () => new Promise(() => {}) })).toEqual(['words', []]);
    expect(await complete(['--workspace', '../x', 'inventory', ''])).toBe('words\n');
    expect(await complete([], () => fakeSession({ root }))).toContain('words\n');
  });
});

test('only what may stand there is asked, and nothing is written', async () => {
  const before = await readdir(root, { recursive: true });
  const refuse = (): never => {
    throw new Error('asked');
  };
  expect(await complete(['server', 'st'], refuse)).toContain('stop\t');
  expect(await readdir(root, { recursive: true })).toEqual(before);
});
