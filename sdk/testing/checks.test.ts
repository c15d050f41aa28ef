import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import { type AnyTaskserv, defineTaskserv, ensureFile, ensureNoFile, file, secret, text } from '../index.js';
import { faultsIn, updateCases } from './index.js';

const root = mkdtempSync(join(tmpdir(), 'provisioning-checks-'));
afterAll(() => rmSync(root, { recursive: true }));

const config = z.strictObject({
  word: z.string().default('hello').describe('What it says'),
  key: secret().optional().describe('Its key'),
});
const greeter: AnyTaskserv = defineTaskserv({
  name: 'greeter',
  category: 'test',
  description: 'Greets.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config,
  facts: () => ({ page: file('/srv/page') }),
  installed: ({ page }) => (page.exists ? '1' : undefined),
  plan: ({ word, key }, { page }) => ensureFile(page, { content: key ? text`${word}\n${key}\n` : `${word}\n` }),
  health: () => [{ title: 'The page is there', command: 'test -e /srv/page' }],
  remove: (_, { page }) => ensureNoFile(page),
});
const README = '# greeter\n\n`word`, `key`\n\n```yaml\ntaskservs:\n  - name: greeter\n    config: { key: { secret: k } }\n```\n';
const CASES = {
  install: { config: { key: { $secret: 'k' } } },
  nothing: { facts: { page: { exists: true, content: 'hello\n' } } },
  remove: { action: 'remove', facts: { page: 'as planned' } },
};

/** Creates a folder of the greeter. */
function folderOf(cases: Record<string, object> = CASES, readme = README): string {
  const folder = join(mkdtempSync(join(root, 'x')), 'greeter');
  mkdirSync(join(folder, 'cases'), { recursive: true });
  writeFileSync(join(folder, 'README.md'), readme);
  for (const [name, given] of Object.entries(cases)) writeFileSync(join(folder, 'cases', `${name}.json`), JSON.stringify(given));
  return folder;
}

/** Creates the greeter's folder with the steps that the greeter decides on. */
function written(cases?: Record<string, object>, readme?: string): string {
  const folder = folderOf(cases, readme);
  updateCases(greeter, folder);
  return folder;
}

test('new cases get their steps, contents in lines, and then nothing is written again', () => {
  const folder = folderOf();
  expect(updateCases(greeter, folder)).toEqual(['install.json', 'nothing.json', 'remove.json']);
  const read = (name: string) => JSON.parse(readFileSync(join(folder, 'cases', name), 'utf8'));
  expect(read('install.json').steps[0].file).toEqual({ path: '/srv/page', lines: ['hello', [{ $secret: 'k' }]] });
  expect(read('nothing.json')).toEqual({ facts: { page: { exists: true, lines: ['hello'] } }, steps: [] });
  expect(updateCases(greeter, folder)).toEqual([]);
  expect(faultsIn(greeter, folder)).toEqual([]);
});

test('a step that differs is named with its line', () => {
  const plan: AnyTaskserv['plan'] = (given, found, context) => greeter.plan({ ...given, word: 'HELLO' }, found, context);
  expect(faultsIn({ ...greeter, plan }, written())).toContainEqual({
    check: 'install.json',
    faults: [{ at: 'steps[0].file.lines[0]', expected: 'hello', actual: 'HELLO' }],
  });
});

const run = { title: 'Greet', run: 'true', undo: 'true' };
test.each<[Partial<AnyTaskserv>, string]>([
  [{ plan: () => [{ ...run, title: 'greet.' }] }, 'is no title'],
  [{ plan: () => [{ title: 'Greet', run: 'true' }] }, 'neither undo nor irreversible'],
  [{ plan: () => [{ ...run, run: JSON.parse('[{"$secret":"k"}]') }] }, 'has a secret in a script'],
  [{ plan: ({ key }) => [{ ...run, stdin: `${key ?? {}}` }] }, '[object Object]'],
  [{ plan: () => [{ ...run, stdin: `${Math.random()}` }] }, 'decides otherwise when asked again'],
  [{ plan: () => [] }, 'a host without anything needs no steps'],
  [{ installed: () => '1' }, 'has it installed'],
  [{ remove: () => [run] }, 'something to remove'],
  [{ drain: () => [] }, 'drain and undrain'],
  [{ drain: () => [], undrain: () => [] }, 'no case of drain has steps'],
  [{ name: 'other' }, 'it is called other'],
  [{ versions: { ...greeter.versions, default: '2' } }, 'its default version 2'],
  [{ versions: { ...greeter.versions, withdrawn: { 1: 'it is broken' } } }, 'its default version 1 is withdrawn'],
  [{ after: ['greeter'] }, 'after itself'],
  [{ config: z.object({ word: z.string().default(''), key: secret().optional() }) }, 'word has no description'],
  [{ config: z.object(config.shape) }, 'a key that it does not know'],
  [{ config: config.extend({ count: z.int().default(1).describe('How often') }) }, 'does not mention `count`'],
  [{ health: () => [] }, 'no health check'],
  [{ health: () => [{ title: 'x', command: JSON.parse('[{"$secret":"k"}]') }] }, 'has a secret in it'],
  [{ facts: () => ({}) }, 'no fact \\"page\\"'],
])('a taskserv with %o is told that: %s', (change, fault) => {
  expect(JSON.stringify(faultsIn({ ...greeter, ...change }, written()))).toContain(fault);
});

test.each([
  [{ install: CASES.install, remove: CASES.remove }, README, 'no case has nothing to do'],
  [{ nothing: CASES.nothing, remove: CASES.remove }, README, 'no case installs it'],
  [{ install: CASES.install, nothing: CASES.nothing }, README, 'no case removes it'],
  [CASES, '', 'the README has no example'],
  [CASES, README.replace('name: greeter', 'name: another'), 'the example has another'],
  [CASES, README.replace('secret: k', 'sekret: k'), 'is refused'],
])('a folder with the cases %o and the README %j is told that: %s', (cases, readme, fault) => {
  expect(JSON.stringify(faultsIn(greeter, written(cases, readme)))).toContain(fault);
});
