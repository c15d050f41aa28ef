import { describe, expect, test } from 'vitest';
import { commands } from '../commands.js';
import { complete } from '../completion/complete.js';
import { runLine } from '../fake-run.js';
import { CONNECT } from '../ssh/connect-name.js';
import { SERVE } from '../start/warm-request.js';
import { readArgv } from './argv.js';
import { groupHelp, topHelp } from './help.js';
import { renderHelp } from './parse.js';
import { SHORTCUTS } from './shortcuts.js';
import { loadKnownTaskservs, redirectToTaskserv } from './taskserv-help.js';

const NAMES = commands.map(({ name }) => name);
/** Groups of commands: `server`, `test`, `test env`. */
const GROUPS = [
  ...new Set(NAMES.flatMap((name) => name.split(' ').map((_, index, words) => words.slice(0, index).join(' ')))),
].filter(Boolean);
const ALL = Object.entries(SHORTCUTS);
const read = (...argv: string[]) => readArgv(argv, NAMES);

describe('shortcuts', () => {
  test('number at least 80, and each stands for a command or a group', () => {
    expect(ALL.length).toBeGreaterThanOrEqual(80);
    expect(ALL.filter(([, long]) => !NAMES.includes(long) && !GROUPS.includes(long))).toEqual([]);
  });

  test('are the name of no command, no group, no taskserv, and begin no option', async () => {
    const taken = new Set([...NAMES, ...GROUPS, ...Object.keys(await loadKnownTaskservs()), 'help', '__complete', CONNECT, SERVE]);
    expect(ALL.filter(([short]) => taken.has(short) || !/^[a-z]{1,5}$/.test(short))).toEqual([]);
  });

  test('stand for one thing each, and only `config` has two', () => {
    const twice = ALL.filter(([, long], index) => ALL.findIndex(([, other]) => other === long) !== index);
    expect(twice).toEqual([['cfg', 'config']]);
  });

  test('in a group are the shortcut of the group and the letters of the verb, which are the same in all groups', () => {
    const letters = new Map<string, Set<string>>();
    for (const [short, long] of ALL.filter(([, name]) => name.includes(' ') && !GROUPS.includes(name))) {
      const [group, verb] = [long.slice(0, long.lastIndexOf(' ')), long.slice(long.lastIndexOf(' ') + 1)];
      const [prefix = '?'] = ALL.find(([, name]) => name === group) ?? [];
      expect([short, short.startsWith(prefix)]).toEqual([short, true]);
      letters.set(verb, (letters.get(verb) ?? new Set()).add(short.slice(prefix.length)));
    }
    expect([...letters].filter(([, forms]) => forms.size > 1)).toEqual([]);
  });

  test.each(ALL)('%s is read as %s', (short, long) => {
    const words = long.split(' ');
    for (const more of [[], ['--json'], ['x', '--infra', 'shop'], ['help'], ['--help']])
      expect(read(short, ...more)).toEqual(read(...words, ...more));
    expect(read('help', short)).toEqual(read('help', ...words));
    expect(read('--json', short)).toEqual(read('--json', ...words));
  });
});

describe('help', () => {
  test.each([...NAMES, ...GROUPS])('of %s is the same before, behind and as an option', (name) => {
    const words = name.split(' ');
    const asked = read('help', ...words);
    expect(asked).toEqual({ command: name, help: true, args: [], rest: [] });
    for (const argv of [
      [...words, 'help'],
      [...words, '--help'],
      [...words, '-h'],
      ['--help', ...words],
    ])
      expect([argv, read(...argv)]).toEqual([argv, asked]);
    if (words.length > 1) expect(read(words[0] ?? '', 'help', ...words.slice(1))).toEqual(asked);
  });

  test('of each taskserv is the same before, behind and as an option', async () => {
    const taskservs = await loadKnownTaskservs();
    for (const name of Object.keys(taskservs)) {
      const asked = redirectToTaskserv(read('help', name), taskservs);
      if (NAMES.includes(name) || GROUPS.includes(name)) continue;
      expect(asked).toMatchObject({ command: 'taskserv show', args: [name] });
      for (const argv of [
        [name, 'help'],
        [name, '--help'],
        ['taskserv', 'help', name],
        ['taskserv', name, 'help'],
      ])
        expect([argv, redirectToTaskserv(read(...argv), taskservs)]).toEqual([argv, asked]);
    }
  });

  test('says the shortcut of each command and group, within 80 columns', async () => {
    for (const [short, long] of ALL.filter(([name]) => name !== 'cfg')) {
      const entry = commands.find(({ name }) => name === long);
      const group = long.slice(0, Math.max(0, long.lastIndexOf(' ')));
      if (entry) {
        expect(renderHelp(long, entry.summary, (await entry.load()).command)).toContain(`\nShort: provisioning ${short}\n`);
        if (group !== '') expect(groupHelp(group)).toMatch(new RegExp(`^  ${long.slice(group.length + 1)} +${short} +\\S`, 'm'));
      }
      if (GROUPS.includes(long)) expect(groupHelp(long)).toContain(` (short: ${short}):\n`);
    }
    const lines = GROUPS.flatMap((group) => groupHelp(group).split('\n'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(topHelp()).toContain('provisioning shortcuts');
  });
});

test('completion offers each shortcut with what it stands for, once a letter is typed', async () => {
  for (const [short, long] of ALL) {
    const offered = (await complete([short])).split('\n');
    expect(offered.find((line) => line.startsWith(`${short}\t`))).toContain(long);
  }
  expect(await complete([''])).not.toMatch(/^sls\t/m);
  expect(await complete(['sls', '--inf'])).toMatch(/^--infra\t/m);
});

test('the command lists all, or those of a group', async () => {
  const { out } = await runLine('shortcuts --json');
  expect(JSON.parse(out).shortcuts.map(({ shortcut }: { shortcut: string }) => shortcut)).toEqual(Object.keys(SHORTCUTS));
  const server = await runLine('sc s');
  expect(server.out).toMatch(/^sls +server list$/m);
  expect(server.out).not.toContain('taskserv list');
  const none = await runLine('shortcuts servr');
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('did you mean "server"?')]);
});
