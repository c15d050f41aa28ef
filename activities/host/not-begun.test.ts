import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { explainNotBegun } from './not-begun.js';
import { shellFor } from './time-limits.js';

/** Answer of a login to the real command, on a host with `env` and the shell but without sudo. */
async function withoutSudo(lang: string): Promise<{ exit: number; said: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'without-sudo-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync('/usr/bin/env', join(folder, 'env'));
  const command = shellFor(false, 'echo begun').map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const env = { PATH: folder, LANG: lang };
  const { exitCode, stderr } = await execa('/bin/sh', ['-c', command.join(' ')], {
    env,
    extendEnv: false,
    reject: false,
    input: '',
  });
  return { exit: exitCode ?? -1, said: stderr };
}

test.each(['C', 'C.UTF-8'])('a host without sudo is reported as sudo-refused, in the locale %s', async (lang) => {
  const { exit, said } = await withoutSudo(lang);
  expect([exit, said]).toEqual([127, expect.stringContaining('sudo')]);
  expect(explainNotBegun('box', exit, said)?.details).toMatchObject({ code: 'sudo-refused', why: 'there is no sudo' });
});

test.each([
  'bash: sudo: command not found',
  'sh: 1: sudo: not found',
  "env: can't execute 'sudo': No such file or directory",
  'env: ‘sudo’: No such file or directory',
  'env: „sudo“: Datei oder Verzeichnis nicht gefunden',
  'env: « sudo »: Aucun fichier ou dossier de ce type',
])('so is one that says: %s', (said) => {
  expect(explainNotBegun('box', 127, said)?.details).toMatchObject({ code: 'sudo-refused', why: 'there is no sudo' });
});

test.each([
  'bash: fork: Cannot allocate memory',
  'bash: fork: retry: Resource temporarily unavailable',
  'bash: /usr/bin/timeout: Input/output error',
  'env: ‘sudo’: Cannot allocate memory',
  'sudo: unable to open /etc/sudoers: Input/output error',
  'sh: 1: sudo: Too many open files in system',
])('a shortage of the host is no broken login: %s', (said) => {
  for (const exit of [126, 127]) expect(explainNotBegun('box', exit, said)).toBeUndefined();
});

test('a sudo that the user may not run is sudo-refused, also next to a shortage', () => {
  const said = 'bash: fork: retry: Resource temporarily unavailable\nenv: „sudo“: Keine Berechtigung';
  expect(explainNotBegun('box', 126, said)?.details).toMatchObject({ code: 'sudo-refused', why: 'this user may not run sudo' });
});

test('a program that is missing otherwise is a broken login', () => {
  expect(explainNotBegun('box', 127, 'sh: 1: bash: not found')?.details.code).toBe('login-without-shell');
});
