import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runLine } from '../fake-run.js';
import { SCRIPTS } from './scripts.js';

let folder: string;
const at = (name: string): string => join(folder, name);

/** Hostile names from the engine, as a program without the filter would print them. */
const HOSTILE = ['$(touch hit)', '`touch hit`', 'a;touch hit', '$HOME', '*', 'a"$(touch hit)"', '\\$(touch hit)', '%n', '-rf'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shells-'));
  const { execArgv, execPath } = process;
  const main = join(import.meta.dirname, '../main.ts');
  const tsx = import.meta.resolve('tsx');
  const ours = `#!/bin/sh\nexec ${[execPath, ...execArgv, '--import', tsx, main].map((word) => `'${word}'`).join(' ')} "$@"\n`;
  const theirs = `#!/bin/sh\nprintf '%s\\n' words ${HOSTILE.map((name) => `'${name}'`).join(' ')}\n`;
  for (const [name, text] of [
    ['ours', ours],
    ['theirs', theirs],
  ] as const) {
    await mkdir(at(name));
    await writeFile(at(`${name}/provisioning`), text);
    await chmod(at(`${name}/provisioning`), 0o755);
  }
  await mkdir(at('empty'));
  await writeFile(at('empty/infra.yaml'), '');
  for (const [shell, script] of Object.entries(SCRIPTS)) await writeFile(at(`${shell}.script`), script);
});
afterAll(() => rm(folder, { recursive: true }));

const hasShell = (name: string): boolean =>
  (process.env.PATH ?? '').split(':').some((place) => {
    try {
      execFileSync(join(place, name), ['-c', ':'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });

type Shell = keyof typeof SCRIPTS;

/** Script that prints a shell's candidates for the last word, one per line. */
const ASK: Readonly<Record<Shell, (words: readonly string[]) => string>> = {
  bash: (words) => `eval "$(cat bash.script)"
COMP_WORDS=(provisioning ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}
_provisioning_complete provisioning "" ""
printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words) => `compdef() { : }; _files() { print -r -- FILES }
compadd() { print -rl -- "\${names[@]}" }
eval "$(cat zsh.script)"
words=(provisioning ${words.map(quoted).join(' ')}); CURRENT=${words.length + 1}
_provisioning`,
  fish: (words) => `cat fish.script | source
complete -C ${quoted(`provisioning ${words.join(' ')}`)}`,
};
const OPTIONS: Readonly<Record<Shell, string[]>> = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] };

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Returns the candidates that a shell offers with this program. */
function offered(shell: Shell, program: 'ours' | 'theirs', words: readonly string[]): string[] {
  const env = { ...process.env, HOME: folder, PROVISIONING_HOME: at('home'), PATH: `${at(program)}:${process.env.PATH}` };
  const said = execFileSync(shell, [...OPTIONS[shell], '-c', ASK[shell](words)], { cwd: folder, env, encoding: 'utf8' });
  return said.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

describe.each(['bash', 'zsh', 'fish'] as const)('the script for %s', (shell) => {
  test('is printed by `completion`, also in a document', async () => {
    expect((await runLine(`completion ${shell}`)).out).toBe(SCRIPTS[shell]);
    expect(JSON.parse((await runLine(`completion ${shell} --json`)).out)).toEqual({ shell, script: SCRIPTS[shell] });
  });

  test.skipIf(!hasShell(shell))('offers what the program says', async () => {
    expect(offered(shell, 'ours', ['server', 'sto'])).toEqual(['stop']);
    expect(offered(shell, 'ours', ['taskserv', 'show', 'pr'])).toEqual(['prometheus']);
    expect(offered(shell, 'ours', ['server', 'create', '--on-failure', ''])).toEqual([
      'rollback',
      'rollback-service',
      'keep',
      'ask',
    ]);
    expect(offered(shell, 'ours', ['inventory', ''])).toEqual([]);
    if (shell === 'fish') expect(offered(shell, 'ours', ['apply', 'emp'])).toEqual(['empty/']);
    if (shell === 'zsh') expect(offered(shell, 'ours', ['apply', ''])).toEqual(['FILES']);
    expect(await readdir(folder)).not.toContain('home');
  });

  test.skipIf(!hasShell(shell))('evaluates neither names that it gets nor words that were typed', async () => {
    expect(offered(shell, 'theirs', ['inventory', ''])).toEqual(shell === 'fish' ? expect.any(Array) : HOSTILE);
    for (const typed of ['$(touch hit)', '`touch hit`', '"$(touch hit)', "'; touch hit #"])
      expect([typed, offered(shell, 'ours', ['inventory', typed])]).toEqual([typed, []]);
    expect(await readdir(folder)).not.toContain('hit');
  });
});

test('another shell is refused', async () => {
  const { code, err } = await runLine('completion zhs');
  expect([code, err]).toEqual([2, expect.stringContaining('did you mean "zsh"?')]);
});
