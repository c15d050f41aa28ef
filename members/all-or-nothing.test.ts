import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allOrNothing } from './all-or-nothing.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'all-or-nothing-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

/** Changes these files in this way, then fails. */
const failing = (names: readonly string[], change: (path: string) => void) =>
  expect(
    allOrNothing(names.map(at), async () => {
      names.map(at).forEach(change);
      throw new Error('the last file cannot be written');
    }),
  ).rejects.toThrow('the last file');

/** Replaces a file like an editor. */
const replace = (path: string) => {
  rmSync(path, { force: true });
  writeFileSync(path, 'new', { mode: 0o644 });
};

test('what the work answers is the answer, and its files stay', async () => {
  expect(await allOrNothing([at('a')], async () => writeFileSync(at('a'), 'new'))).toBeUndefined();
  expect(readFileSync(at('a'), 'utf8')).toBe('new');
});

test('if the work fails, files have their former content and mode, and new files are gone with their folder', async () => {
  writeFileSync(at('private'), 'old', { mode: 0o600 });
  await failing(['private'], replace);
  expect([readFileSync(at('private'), 'utf8'), statSync(at('private')).mode & 0o777]).toEqual(['old', 0o600]);

  await failing(['team/certificate'], (path) => {
    mkdirSync(at('team'));
    writeFileSync(path, 'new');
  });
  expect(existsSync(at('team'))).toBe(false);
});

test('the mode of a file behind a link is that of the file: a private one does not become readable by all', async () => {
  writeFileSync(at('kept'), 'old');
  chmodSync(at('kept'), 0o600);
  symlinkSync(at('kept'), at('link'));
  // The link and its file are replaced: the restored file is a new one.
  await failing(['link'], (path) => rmSync(path));
  expect([readFileSync(at('link'), 'utf8'), lstatSync(at('link')).mode & 0o777]).toEqual(['old', 0o600]);
});

test('what is no file cannot be restored, so the work does not begin', async () => {
  mkdirSync(at('folder'));
  let begun = false;
  await expect(
    allOrNothing([at('folder')], async () => {
      begun = true;
    }),
  ).rejects.toThrow('EISDIR');
  expect(begun).toBe(false);
});
