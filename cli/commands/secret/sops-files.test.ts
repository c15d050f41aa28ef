import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLine } from '../../fake-run.js';

let folder: string;
let other: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sops-commands-'));
  other = await identityToRecipient(await generateIdentity());
});
afterEach(() => rm(folder, { recursive: true }));

const run = (line: string) => runLine(line, { root: join(folder, 'home'), env: { XDG_CONFIG_HOME: join(folder, 'none') } });
const recipientOf = (out: string) => /^recipient: (age1\S+)$/m.exec(out)?.[1] ?? '';

test('a key is made, and a file encrypted for it is listed and decrypted', async () => {
  const made = await run('key generate');
  const own = recipientOf(made.out);
  expect((await stat(join(folder, 'home/age/keys.txt'))).mode & 0o777).toBe(0o600);
  expect(made.out + made.err).not.toContain('AGE-SECRET-KEY');
  expect((await run('key list')).out).toBe(`${own}\n`);
  const file = join(folder, 'a.yaml');
  await writeFile(file, 'password: hunter2\n');

  expect(await run(`secret encrypt ${file} --age ${own}`)).toMatchObject({ code: 0, err: '' });
  expect(await readFile(file, 'utf8')).not.toContain('hunter2');
  expect((await run(`secret recipients ${file}`)).out).toBe(`${own}\n`);
  expect((await run(`secret decrypt ${file}`)).out).toBe('password: hunter2\n');
});

test('what is encrypted for others alone is said to be', async () => {
  const own = recipientOf((await run('key generate')).out);
  const file = join(folder, 'a.yaml');
  await writeFile(file, 'a: 1\n');
  expect((await run(`secret encrypt ${file} --age ${other}`)).err).toContain('none of your age keys opens it');

  await writeFile(file, 'a: 1\n');
  await run(`secret encrypt ${file} --age ${own},${other}`);
  const removed = await run(`secret recipients ${file} --remove ${own}`);
  expect([removed.code, removed.out]).toEqual([0, `${other}\n`]);
  expect(removed.err).toContain('none of your age keys opens it');
  expect(await run(`secret decrypt ${file}`)).toMatchObject({ code: 2, err: expect.stringContaining('no age key here opens it') });
});

test('two keys are not made in one file, unless that is asked for', async () => {
  const file = join(folder, 'new/keys.txt');
  const first = recipientOf((await run(`key generate --output ${file}`)).out);
  const again = await run(`key generate --output ${file}`);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('the file already has a key')]);
  const second = recipientOf((await run(`key generate --output ${file} --add`)).out);
  const text = await readFile(file, 'utf8');
  expect([first, second].every((one) => text.includes(one))).toBe(true);
});

test('one rule says what is encrypted', async () => {
  const file = join(folder, 'a.yaml');
  await writeFile(file, 'a: 1\n');
  const { code, err } = await run(`secret encrypt ${file} --age ${other} --encrypted-regex a --unencrypted-suffix b`);
  expect([code, err]).toEqual([2, expect.stringContaining('--unencrypted-suffix and --encrypted-regex exclude each other')]);
  expect(await readFile(file, 'utf8')).toBe('a: 1\n');
});
