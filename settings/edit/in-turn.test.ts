import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { homeOf } from '../../home/home.js';
import { makeFolder } from '../../test/support/temporary-folder.js';
import { changeLayer } from './change-layer.js';
import { runInTurn } from './in-turn.js';

const folderNew = () => makeFolder('in-turn');

test('of many that change one file at once each sees what the others have written', async () => {
  const file = join(await folderNew(), 'count');
  await writeFile(file, '0');
  const add = async () => {
    const before = Number(await readFile(file, 'utf8'));
    await sleep(1);
    await writeFile(file, String(before + 1));
  };
  await Promise.all(Array.from({ length: 20 }, () => runInTurn(file, add)));
  expect(await readFile(file, 'utf8')).toBe('20');
  expect(await readdir(join(file, '..'))).toEqual(['count']);
});

test('of settings that are set at once none is lost', async () => {
  const root = await folderNew();
  const place = { home: homeOf({ PROVISIONING_HOME: root }), env: {} };
  const values = { 'operation.priority': 4, 'operation.onFailure': 'ask', 'operation.onTimeout': 'keep', 'output.color': 'never' };
  await Promise.all(Object.entries(values).map(([name, value]) => changeLayer(place, 'user', name, value)));
  const text = await readFile(join(root, 'config.yaml'), 'utf8');
  for (const value of Object.values(values)) expect(text).toContain(String(value));
  expect((await readdir(root)).filter((name) => name.includes('lock'))).toEqual([]);
});

test('the lock of a process that was killed is removed; that of one that lives is waited for', async () => {
  const folder = await folderNew();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const lock = join(folder, '.config.yaml.lock');
  await writeFile(lock, JSON.stringify({ pid: child.pid, nonce: 'other' }));
  const file = join(folder, 'config.yaml');
  await expect(runInTurn(file, async () => 'done', { turnMs: 200 })).rejects.toMatchObject({
    details: { code: 'config-busy', hint: expect.stringContaining(lock) },
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await runInTurn(file, async () => 'done')).toBe('done');
  expect(await readdir(folder)).toEqual([]);
});

test('a lock goes also where the work fails', async () => {
  const folder = await folderNew();
  const failed = runInTurn(join(folder, 'x'), async () => {
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await readdir(folder)).toEqual([]);
});
