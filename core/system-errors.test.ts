import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { exitCodeOfError } from './exit-codes.js';
import { systemError } from './system-errors.js';

const thrown = (code: string, syscall = 'open', path?: string) => Object.assign(new Error(`${code}: x`), { code, syscall, path });

test('a full disk names the home, and ends with 3', async () => {
  const error = await writeFile('/dev/full', 'x').catch((reason: unknown) => reason);
  const found = systemError(error, '/home/me');
  expect(found).toMatchObject({ code: 'disk-full', on: '/home/me', why: 'the disk, or the quota of this user, is full' });
  expect(found?.hint).not.toContain('TEMPORAL_ADDRESS');
  expect(found && exitCodeOfError(found)).toBe(3);
});

test.each([
  ['EACCES', 'not-accessible', 2],
  ['EROFS', 'read-only', 2],
  ['ENOTDIR', 'bad-path', 2],
  ['EISDIR', 'bad-path', 2],
  ['ENAMETOOLONG', 'bad-path', 2],
  ['EDQUOT', 'disk-full', 3],
  ['EMFILE', 'too-many-files', 3],
])('%s names the path', (code, ours, exit) => {
  const found = systemError(thrown(code, 'mkdir', '/srv/home'), '/home/me');
  expect(found).toMatchObject({ code: ours, on: '/srv/home' });
  expect(found && exitCodeOfError(found)).toBe(exit);
});

test('what is about sockets and programs, or unknown, stays what it is', async () => {
  for (const error of [thrown('EACCES', 'connect'), thrown('EACCES', 'spawn ssh'), thrown('EPIPE', 'write'), new Error('x'), 'x'])
    expect(systemError(error, '/home/me')).toBeUndefined();
  const refused = await new Promise((resolve) => createConnection(1, '127.0.0.1').once('error', resolve));
  expect(systemError(refused, '/home/me')).toBeUndefined();
});
