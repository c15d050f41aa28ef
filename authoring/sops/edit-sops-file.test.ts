import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { homeOf } from '../../home/home.js';
import type { Context } from '../context.js';
import { editSopsFile } from './edit-sops-file.js';
import { decryptFile, encryptFile } from './sops-files.js';

// Generous time-outs for busy machines. No test waits.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: string;
let file: string;
let context: Context;
let recipient: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edit-sops-'));
  file = join(folder, 'a.sops.yaml');
  const key = await generateIdentity();
  recipient = await identityToRecipient(key);
  await mkdir(join(folder, 'run'), { mode: 0o700 });
  context = {
    env: {
      ...process.env,
      SOPS_AGE_KEY: key,
      XDG_CONFIG_HOME: join(folder, 'none'),
      TRACE: join(folder, 'trace'),
      SOPS_EDITOR: '',
      VISUAL: '',
    },
    home: homeOf({ PROVISIONING_HOME: join(folder, 'home') }),
    workspace: 'default',
    actor: 'ann',
    client: () => Promise.reject(new Error('no worker is queried')),
    note: () => {},
  };
});
afterEach(() => rm(folder, { recursive: true }));

/** Edits with a script that records the location of the copy and leaves its own files beside it. */
async function editWith(script: string, again = async () => false) {
  const editor = join(folder, 'editor');
  await writeFile(editor, `#!/bin/sh\necho "$1" >> "$TRACE"\ntouch "$1.swp" "$1~"\n${script}\n`);
  await chmod(editor, 0o700);
  return editSopsFile({ ...context, env: { ...context.env, EDITOR: `${editor}` } }, file, again);
}
const copies = async () => (await readFile(join(folder, 'trace'), 'utf8')).trim().split('\n');
const isGone = async (copy: string) =>
  stat(join(copy, '..')).then(
    () => false,
    () => true,
  );

async function withFile(text: string): Promise<Buffer> {
  await writeFile(file, text);
  await encryptFile(context, file, { recipients: [recipient] });
  return readFile(file);
}

test('a value that was changed is encrypted, the others keep their text, and the copy is gone', async () => {
  const before = (await withFile('a: one\nb: two\n')).toString();
  expect(await editWith(`sed -i s/two/three/ "$1"`)).toEqual({ changed: true, made: false });
  expect((await decryptFile(context, file)).toString()).toBe('a: one\nb: three\n');
  expect((await readFile(file, 'utf8')).split('\n')[0]).toBe(before.split('\n')[0]);
  expect(await isGone((await copies())[0] ?? '')).toBe(true);
  expect(await readdir(folder)).not.toContain('a.sops.yaml~');
});

test('a file in which nothing is changed stays, byte for byte', async () => {
  const before = await withFile('a: one\n');
  expect(await editWith('true')).toEqual({ changed: false, made: false });
  expect(await readFile(file)).toEqual(before);
});

test('what an editor leaves that fails is taken away, and the file stays', async () => {
  const before = await withFile('a: one\n');
  await expect(editWith('echo "a: two" > "$1"; exit 3')).rejects.toMatchObject({
    details: { code: 'sops-editor', why: 'the editor ended with 3' },
  });
  expect(await readFile(file)).toEqual(before);
  expect(await isGone((await copies())[0] ?? '')).toBe(true);
});

test('a text that cannot be read may be edited again, as it was left', async () => {
  await withFile('a: one\n');
  const why: string[] = [];
  const again = async (...[text]: unknown[]) => why.push(String(text)) === 1;
  const fixing = 'if grep -q broken "$1"; then echo "a: fixed" > "$1"; else echo "broken" > "$1"; fi';
  expect(await editWith(fixing, again)).toEqual({ changed: true, made: false });
  expect(why).toEqual([expect.stringContaining('a document is a map of keys')]);
  expect((await decryptFile(context, file)).toString()).toBe('a: fixed\n');
});

test('a text that cannot be read, and is not edited again, changes nothing', async () => {
  const before = await withFile('a: one\n');
  await expect(editWith('echo "hunter2: [" > "$1"')).rejects.toMatchObject({
    details: { code: 'sops-file', why: expect.not.stringContaining('hunter2') },
  });
  expect(await readFile(file)).toEqual(before);
  expect(await isGone((await copies())[0] ?? '')).toBe(true);
});

test('a file that somebody else changes meanwhile is not overwritten', async () => {
  await withFile('a: one\n');
  await expect(editWith(`echo '# more' >> ${file}; echo "a: two" > "$1"`)).rejects.toMatchObject({
    details: { why: expect.stringContaining('another process changed the file') },
  });
  expect(await readFile(file, 'utf8')).toMatch(/# more\n$/);
});

test('a file that is not there is made by the rules above it', async () => {
  await expect(editWith('echo "a: one" > "$1"')).rejects.toMatchObject({ details: { code: 'sops-rule' } });
  await writeFile(
    join(folder, '.sops.yaml'),
    `creation_rules:\n  - path_regex: \\.sops\\.yaml$\n    encrypted_regex: ^a$\n    age: ${recipient}\n`,
  );
  expect(await editWith('printf "a: one\\nb: two\\n" > "$1"')).toEqual({ changed: true, made: true });
  expect(await readFile(file, 'utf8')).toMatch(/^a: ENC\[.*\nb: two\n/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('an editor that is killed leaves nothing behind', async () => {
  const before = await withFile('a: one\n');
  await expect(editWith('echo "a: two" > "$1"; kill -INT $$')).rejects.toMatchObject({ details: { code: 'sops-editor' } });
  expect(await readFile(file)).toEqual(before);
  expect(await isGone((await copies())[0] ?? '')).toBe(true);
});

test.each(['SIGTERM', 'SIGHUP'] as const)('%s takes the copy away', async (signal) => {
  const program = `
    import { usePrivateCopy } from '${join(import.meta.dirname, 'private-copy.ts')}';
    await usePrivateCopy({ name: 'x', content: Buffer.from('secret'), env: process.env }, async ({ path }) => {
      console.log(path);
      await new Promise((resolve) => setTimeout(resolve, 600000));
    });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const path = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text).trim()));
    child.once('exit', () => reject(new Error('it ended before')));
  });
  expect(await isGone(path)).toBe(false);
  const ended = new Promise((resolve) => child.once('exit', (_, by) => resolve(by)));
  child.kill(signal);
  expect(await ended).toBe(signal);
  expect(await isGone(path)).toBe(true);
});
