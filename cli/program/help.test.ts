import { describe, expect, test } from 'vitest';
import { commands } from '../commands.js';
import { readArgv } from './argv.js';
import { topHelp } from './help.js';
import { examplesOf, parse, renderHelp } from './parse.js';

const NAMES = commands.map(({ name }) => name);

/** Splits a line like a shell. Redirections belong to the shell. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ [<>] .*/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

test('the list of all commands says what exit codes mean, within 80 columns', () => {
  expect(topHelp()).toContain('2 bad input');
  expect(
    topHelp()
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
});

describe.each(commands.map((entry) => [entry.name, entry] as const))('help of %s', (name, entry) => {
  test('says its purpose, an example and the exit codes', async () => {
    const { command } = await entry.load();
    const help = renderHelp(name, entry.summary, command);
    expect(help).toContain(`Usage: provisioning ${name} `);
    expect(help).toContain(`\n${entry.summary}.\n`);
    expect(help).toMatch(/\nExamples:\n {2}provisioning \S/);
    expect(help).toContain('\nExit codes:\n');
  });

  test('has lines of one measure: none too long, none broken in mid-sentence', async () => {
    const { command } = await entry.load();
    const [prose = ''] = renderHelp(name, entry.summary, command).split(/^(?:Arguments|Options):$/m);
    const lines = prose.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const broken = lines.filter((line, index) => {
      const [word = ''] = (lines[index + 1] ?? '').split(' ');
      return word !== '' && line !== '' && line.length + 1 + word.length < 78;
    });
    expect(broken).toEqual([]);
  });

  test('shows examples of this command that can be read', async () => {
    const { command } = await entry.load();
    for (const example of examplesOf(name, command)) {
      const invocation = readArgv(wordsOf(example), NAMES);
      const shown = commands.find((other) => other.name === invocation.command);
      if (!shown) throw new Error(`no command has the example "${example}"`);
      const { command: called } = await shown.load();
      expect(() => parse(shown.name, shown.summary, called, invocation.args, invocation.rest), example).not.toThrow();
    }
    expect(examplesOf(name, command).some((example) => readArgv(wordsOf(example), NAMES).command === name)).toBe(true);
  });
});
