import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hereOnly } from '../cli/program/needs-this-machine.js';
import {
  besidesIn,
  besideWaysIn,
  commandMethods,
  exceptionsIn,
  HELD,
  hasWayReason,
  loginsIn,
  REASON_KEYS,
  reachedByCommands,
  reasonKeyOf,
  WAYS_WITH_REASON,
} from '../scripts/commands/command-methods.js';
import { declarationReader } from '../scripts/commands/declarations.js';

const all = reachedByCommands();

test('docs/reference/commands-and-methods.md says what the commands call: npm run command-methods', async () => {
  expect(await readFile(join(import.meta.dirname, 'reference/commands-and-methods.md'), 'utf8')).toBe(commandMethods());
});

test('methods are found in a command, in what it calls, and in what it imports when it runs', () => {
  const methodsOf = (name: string) => all.find(({ command }) => command === name)?.methods;
  expect(methodsOf('workflow list')).toEqual(['operations.list']);
  expect(methodsOf('provider zones')).toEqual(['providers.zones', 'secrets.delete', 'secrets.import', 'secrets.list']);
  expect(methodsOf('test env list')).toEqual(['testEnvironments.list']);
  expect(methodsOf('taskserv outdated')).toEqual(['infras.inventory', 'infras.list', 'taskservs.outdated']);
  expect(methodsOf('secret get')).toEqual(expect.arrayContaining(['secrets.get']));
  expect(methodsOf('apply')).toContain('operations.submit');
  expect(methodsOf('config set')).toEqual([]);
});

test('no call of a method is lost between a command and the file that has it', async () => {
  const root = join(import.meta.dirname, '..');
  const read = declarationReader();
  const reached = new Set(all.flatMap(({ methods }) => methods));
  const rooms = [
    'cli/commands',
    'cli/shared',
    'authoring/catalog',
    'authoring/definition',
    'authoring/former',
    'authoring/request',
  ];
  const lost: string[] = [];
  let calls = 0;
  for (const room of rooms) {
    for (const name of await readdir(join(root, room), { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const found = [...read(`${room}/${name}`).values()].flatMap(({ methods }) => [...methods]);
      calls += found.length;
      lost.push(...found.filter((method) => !reached.has(method)).map((method) => `${room}/${name}: ${method}`));
    }
  }
  expect(lost).toEqual([]);
  expect(calls).toBeGreaterThan(60);
});

test('other ways to the platform are found, and local files are none', () => {
  const waysOf = (name: string) => all.find(({ command }) => command === name)?.ways;
  expect(waysOf('up')).toContain('engine program');
  expect(waysOf('key export')).toContain('keys');
  expect(waysOf('ui')).toEqual(['stores', 'web UI']);
  expect([waysOf('fmt'), waysOf('config get'), waysOf('workspace list')]).toEqual([[], [], []]);
});

test('each exception has a reason, and each reason an exception', () => {
  const keys = exceptionsIn(all).map(({ command }) => [command, reasonKeyOf(command)]);
  expect(keys.filter(([, key]) => key === undefined)).toEqual([]);
  expect(REASON_KEYS.filter((key) => !keys.some(([, used]) => used === key))).toEqual([]);
});

test('each other way of a command that calls methods has a reason, and each reason a command', () => {
  expect(besideWaysIn(all).filter((way) => !hasWayReason(way))).toEqual([]);
  expect(WAYS_WITH_REASON.filter((way) => !besideWaysIn(all).includes(way))).toEqual([]);
});

test('commands that log in to hosts have their logins signed, and open no store and no key', () => {
  const waysOf = (name: string) => all.find(({ command }) => command === name)?.ways;
  for (const name of ['exec', 'server ssh', 'server tunnel', 'app exec', 'test env ssh']) {
    expect(loginsIn(all).map(({ command }) => command)).toContain(name);
    expect([name, waysOf(name)]).toEqual([name, []]);
  }
  expect(loginsIn(all).filter(({ ways }) => ways.length > 0)).toEqual([]);
});

test('commands that read definitions ask the worker for the names of secrets, and open no store besides', () => {
  for (const name of ['validate', 'apply', 'graph', 'cost', 'batch submit', 'test topology load', 'orphans', 'secret set']) {
    const { methods, ways, without } = all.find(({ command }) => command === name) ?? {};
    expect([name, ways, without]).toEqual([name, [], true]);
    expect(methods?.some((method) => method.startsWith('secrets.'))).toBe(true);
  }
  expect(all.find(({ command }) => command === 'workflow list')?.without).toBe(false);
});

test('the number of commands that reach the platform in another way only falls', () => {
  expect(exceptionsIn(all).length).toBeLessThanOrEqual(HELD.exceptions);
  expect(besidesIn(all).length).toBeLessThanOrEqual(HELD.besides);
});

test('what reaches the platform in another way than by methods works on one machine, and says so', () => {
  // Vendors answer everywhere, and the copy of a person is a file of the person.
  const elsewhere = new Set(['version check', 'backup verify']);
  const expected = [...exceptionsIn(all), ...besidesIn(all)].map(({ command }) => command).filter((name) => !elsewhere.has(name));
  expect(expected.filter((command) => hereOnly(command) === undefined)).toEqual([]);
  const marked = all.map(({ command }) => command).filter((command) => hereOnly(command) !== undefined);
  expect(marked.filter((command) => !expected.includes(command))).toEqual([]);
});
