import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testSealer } from '../../test/support/private-text.js';
import type { LogStore } from '../logs.js';
import { logFiles } from './log-files.js';

let root: string;
let logs: LogStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'log-files-'));
  logs = logFiles(root, testSealer);
});
afterEach(() => rm(root, { recursive: true }));

const key = { operation: 'op-1', server: 'web-1', taskserv: 'nginx', generation: 1, attempt: 1 };
const pathOf = (name = 'web-1.nginx.1.1.log') => join(root, 'op-1', name);

test('a log is sealed on the disk, and read as it was written, while it grows too', async () => {
  const log = await logs.open(key);
  log.write('== Install nginx\n');
  const text = 'a line with ümlauts \u{1f40c}\n'.repeat(30_000);
  for (const line of text.match(/.*\n/gu) ?? []) log.write(line);
  await new Promise((resolve) => setTimeout(resolve, 900));
  const [soFar] = await logs.read('op-1');
  expect(soFar?.text.startsWith('== Install nginx\na line')).toBe(true);
  log.write('the end\n');
  await log.close();
  expect(await logs.read('op-1')).toEqual([{ server: 'web-1', taskserv: 'nginx', text: `== Install nginx\n${text}the end\n` }]);
  const kept = await readFile(pathOf(), 'utf8');
  expect(kept).not.toMatch(/Install|ümlauts|the end/);
  expect((await stat(pathOf())).mode & 0o777).toBe(0o600);
});

test('a log of a former version is read as it is, beside new ones', async () => {
  await mkdir(join(root, 'op-1'));
  await writeFile(pathOf('web-2.redis.1.2.log'), '== plain\n');
  const log = await logs.open(key);
  log.write('new\n');
  await log.close();
  expect((await logs.read('op-1')).map(({ text }) => text)).toEqual(['new\n', '== plain\n']);
});

test('what was cut off is left out, and a part opens in its place alone', async () => {
  const log = await logs.open(key);
  log.write('whole\n');
  await log.close();
  await appendFile(pathOf(), '1 AAAA');
  expect((await logs.read('op-1'))[0]?.text).toBe('whole\n');
  const kept = await readFile(pathOf(), 'utf8');
  await writeFile(pathOf('web-1.redis.1.1.log'), kept);
  await expect(logs.read('op-1')).rejects.toThrow();
  expect(await readdir(join(root, 'op-1'))).toHaveLength(2);
});

test('a unit that printed nothing has a log, and the last attempt counts', async () => {
  await (await logs.open(key)).close();
  const second = await logs.open({ ...key, attempt: 2 });
  second.write('again\n');
  await second.close();
  expect(await logs.read('op-1')).toEqual([{ server: 'web-1', taskserv: 'nginx', text: 'again\n' }]);
});
