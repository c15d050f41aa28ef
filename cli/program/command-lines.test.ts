import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { splitList } from '../../authoring/request/named.js';
import { commandLinesOf } from '../../scripts/collect-command-lines.js';
import { commands } from '../commands.js';
import { runLine } from '../fake-run.js';
import { readArgv } from './argv.js';
import { equivalentCommand } from './equivalents.js';
import { parse } from './parse.js';

const NAMES = commands.map(({ name }) => name);
/** Lines of `scripts/collect-command-lines.ts`. A pipe of two commands counts as two lines. */
const LINES = readFileSync(new URL('command-lines.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const SINGLE = [...new Set(LINES.flatMap((line) => line.split(/ *\| */)).map((line) => line.replace(/^provisioning ?/, '')))];

/** Rejected command lines, with the suggested replacements. */
const ANSWERED: Readonly<Record<string, string>> = {
  'guide from-scratch': 'init',
  'server create --plan xlarge': 'server create --var plan=xlarge --file FILE',
  'server_create_workflow "production" --settings "./settings.yaml" --wait': 'server create --file FILE',
};

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/**
 * Returns the command that accepts the line.
 *
 * @throws if no command accepts the line
 */
async function taken(line: string): Promise<string> {
  const { command, help, unknown, args, rest } = readArgv(wordsOf(line), NAMES);
  if (unknown !== undefined) throw new Error(`there is no command "${unknown}"`);
  if (help) return command;
  const entry = commands.find(({ name }) => name === command);
  if (!entry) throw new Error(`"${command}" is a group`);
  parse(entry.name, entry.summary, (await entry.load()).command, args, rest);
  return command;
}

describe('command lines of the platform that this one follows', () => {
  test('are those of its documents', () => {
    expect(LINES.length).toBeGreaterThan(40);
    expect(Object.keys(ANSWERED).filter((line) => !SINGLE.includes(line))).toEqual([]);
  });

  test.each(SINGLE.filter((line) => !(line in ANSWERED)))('"%s" is taken', async (line) => {
    await expect(taken(line)).resolves.toEqual(expect.any(String));
  });

  test.each(Object.entries(ANSWERED))('"%s" is answered with "%s"', async (line, here) => {
    await expect(taken(line)).rejects.toThrow();
    const { code, err } = await runLine(line.replaceAll('"', ''));
    expect([code, err]).toEqual([2, expect.stringMatching(/^hint: in this program: provisioning /m)]);
    expect(err).toMatch(new RegExp(`in this program: provisioning ${here}(?:\n|, where the definition has )`));
    await expect(taken(here)).resolves.toEqual(expect.any(String));
  });

  test.each([
    ['guide', 'help'],
    ['orchestrator start --background', 'up'],
    ['infra list', 'cluster list'],
    ['taskserv check-updates', 'taskserv outdated'],
  ])('"%s", which no document shows, is answered with "%s"', async (line, here) => {
    const { code, err } = await runLine(line);
    expect([code, err]).toEqual([2, expect.stringContaining(`in this program: provisioning ${here}\n`)]);
    await expect(taken(here)).resolves.toEqual(expect.any(String));
  });

  test('every equivalent is a line that a command takes, of a name that is not ours', async () => {
    const { COMMANDS } = await import('./equivalents.js');
    for (const [theirs, here] of Object.entries(COMMANDS)) {
      await expect(taken(theirs), theirs).rejects.toThrow();
      await expect(taken(here), here).resolves.toEqual(expect.any(String));
      expect(equivalentCommand([...theirs.split(' '), 'x'])).toBe(`in this program: provisioning ${here}`);
    }
  });
});

describe('a name that there is not', () => {
  test.each(NAMES)('for %s, misspelled, gets the nearest that there is', async (name) => {
    const words = name.split(' ');
    const last = words.pop() ?? '';
    // Swapping two letters in the middle does not give another valid word.
    const at = Math.floor((last.length - 1) / 2);
    const wrong = `${last.slice(0, at)}${last[at + 1] ?? 'x'}${last[at]}${last.slice(at + 2)}`;
    if (wrong === last || NAMES.includes([...words, wrong].join(' '))) return;
    const { code, err } = await runLine([...words, wrong].join(' '));
    expect([name, code, err]).toEqual([name, 2, expect.stringMatching(/\nhint: (?:did you mean|in this program)/)]);
    expect(err).toContain(`did you mean "${name}"?`);
  });

  test.each([
    ['create server', 'server create'],
    ['list taskservs', 'taskserv list'],
    ['ls s', undefined],
    ['create t', 'taskserv create'],
    ['zones', 'provider zones'],
  ])('"%s" is answered with "%s"', async (line, name) => {
    const { code, err } = await runLine(line);
    expect([code, err]).toEqual([2, expect.stringContaining(name === undefined ? 'hint: ' : `did you mean "${name}"?`)]);
  });
});

test('a list of names may be written as Nushell does', () => {
  expect(splitList(['[containerd', 'kubernetes', 'cilium]'])).toEqual(['containerd', 'kubernetes', 'cilium']);
  expect(splitList(['[redis]', 'a, b'])).toEqual(['redis', 'a', 'b']);
});

test('command lines are found in blocks, over several lines and in sentences', () => {
  const text = [
    'Start with provisioning help or provisioning guide from-scratch',
    'A tool for infrastructure provisioning workflows.',
    '    - provisioning server create --check  # only look',
    'provisioning test topology load x | \\',
    '  test env cluster y',
    'workflow status $task_id',
    'workflow of a team',
  ].join('\n');
  expect(commandLinesOf(text)).toEqual([
    'provisioning help',
    'provisioning guide from-scratch',
    'provisioning server create --check',
    'provisioning test topology load x | test env cluster y',
    'workflow status $task_id',
  ]);
});
