import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hostScripts, stepScripts } from '../../test/support/scripts/host-scripts.js';
import { kindsOf } from '../../test/support/scripts/kinds.js';

const isInstalled = ['shellcheck', 'shfmt'].every((tool) => spawnSync(tool, ['--version']).status === 0);
if (!isInstalled) console.warn('left out: shellcheck of the scripts of hosts, without it (apt-get install shellcheck shfmt)');

/** Warnings that are none in scripts that are put together, with the reason. */
const EXCLUDED: Record<string, string> = {
  SC1007: 'an empty value in a line of assignments is meant: local at= name',
  SC1010: '"done" is a word in journals: note done',
  SC2034: 'shared functions set variables that not every script reads',
  SC2043: 'a list from a definition may have one entry',
  SC2046: 'the words of a list are meant to split: pg_createcluster $(flags)',
  SC2069: 'only the error output is wanted: 2>&1 >/dev/null',
  SC2120: 'shared functions take arguments that not every script gives',
  SC2140: 'a quoted word stands between two strings: "and "\'word\'" is wanted"',
  SC2174: 'only the last directory must be private: mkdir -p -m 0700',
};

const folder = mkdtempSync(join(tmpdir(), 'shellcheck-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Errors and warnings of scripts, each with the line that it is about. */
function faultsOf(scripts: readonly { script: string; isStep: boolean }[]): { index: number; fault: string }[] {
  const files = scripts.map(({ script, isStep }, index) => {
    const path = join(folder, `${index}.sh`);
    // A step's script runs under these options, and in a function of the runner.
    const text = `# shellcheck shell=bash\n${isStep ? 'set -euo pipefail\n' : ''}script() {\n:\n${script}\n}\nscript "$@"\n`;
    writeFileSync(path, script.startsWith('#!') ? script : text);
    return path;
  });
  const { stdout, stderr } = spawnSync(
    'shellcheck',
    ['--norc', '-S', 'warning', '-f', 'json1', '-e', Object.keys(EXCLUDED).join(','), ...files],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (stdout === '') throw new Error(stderr);
  const { comments } = JSON.parse(stdout) as { comments: { file: string; line: number; code: number; message: string }[] };
  return comments.map(({ file, line, code, message }) => ({
    index: files.indexOf(file),
    fault: `SC${code}: ${message} (line ${line})`,
  }));
}

test.runIf(isInstalled)('shellcheck finds no error and no warning in the scripts of hosts', () => {
  // Runners and looks are made of the others.
  const parts = new Map([...hostScripts].filter(([, from]) => !from.endsWith(' as a whole')));
  const all = [...kindsOf(parts)].map(([script, from]) => ({ script, from, isStep: stepScripts.has(script) }));
  expect(all.length).toBeGreaterThan(200);
  expect(faultsOf(all).map(({ index, fault }) => `${all[index]?.from}: ${fault}\n${all[index]?.script}`)).toEqual([]);
});

test.runIf(isInstalled).each([
  { script: 'read -r folder\nrm -rf "$folder"/', code: 'SC2115' },
  { script: 'echo "$misspelled"', code: 'SC2154' },
  { script: 'if [ $?=0 ]; then :; fi', code: 'SC2077' },
  { script: 'local made=$(mktemp -d)\necho "$made"', code: 'SC2155' },
  { script: 'find . -name *.pem', code: 'SC2061' },
])('and finds $code', ({ script, code }) => {
  expect(faultsOf([{ script, isStep: true }]).map(({ fault }) => fault.split(':')[0])).toContain(code);
});
