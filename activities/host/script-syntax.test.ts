import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hostScripts } from '../../test/support/scripts/host-scripts.js';

const folder = mkdtempSync(join(tmpdir(), 'script-syntax-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Wraps a script in two kinds of braces: a complete script stays complete there, and one that closes both is found. */
const within = (script: string, index: number): string => `script_${index}() {\nif :; then\n:\n${script}\nfi\n}\n`;

const faultOf = (script: string): string => spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' }).stderr;

/** Looks for those at fault only if there are any: a process for each would take a minute. */
function atFault(all: readonly string[]): string[] {
  const path = join(folder, 'all.sh');
  writeFileSync(path, all.map(within).join(''));
  if (spawnSync('bash', ['-n', path], { encoding: 'utf8' }).stderr === '') return [];
  if (all.length === 1) return [all[0] as string];
  const half = Math.ceil(all.length / 2);
  return [...atFault(all.slice(0, half)), ...atFault(all.slice(half))];
}

test('bash reads every script that goes to a host', () => {
  const all = [...hostScripts.keys()];
  expect(all.length).toBeGreaterThan(1_500);
  expect(atFault(all).map((script) => `${hostScripts.get(script)}: ${faultOf(script)}\n${script}`)).toEqual([]);
  expect(
    execFileSync('bash', ['--norc', '-c', `set -e; . ${join(folder, 'all.sh')}; declare -F | wc -l`], { encoding: 'utf8' }).trim(),
  ).toBe(`${all.length}`);
});

test.each([
  'if true; then echo',
  'echo "open',
  '}',
  'fi\n}\nbroken() {\nif :; then',
  "cat <<'END'\ntext\n  END",
  'for one in; do done',
])('and finds one that it could not: %j', (script) => expect(atFault(['true', script, 'echo well'])).toEqual([script]));
