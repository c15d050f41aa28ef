import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepHeads, readHeads } from './heads.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-heads-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the ends of chains', () => {
  const heads = () => join(folder, 'heads');
  const end = (sequence: number) => ({ chain: 'abc.changes', sequence, hash: `hash-${sequence}` });

  test('are in a file within a second, and of a process that has ended in one file with those of others', async () => {
    const keeper = keepHeads(heads(), 'aaaaaaaa');
    keeper.note([end(1)]);
    keeper.note([end(2)]);
    await expect.poll(async () => (await readHeads(heads())).heads.get('abc.changes')?.sequence, { timeout: 5_000 }).toBe(2);
    keeper.note([end(3)]);
    await keeper.close();
    expect(readdirSync(heads())).toEqual(['ended.jsonl']);
    expect(await readHeads(heads())).toEqual({
      heads: new Map([['abc.changes', { ...end(3), at: expect.any(String) }]]),
      unreadable: [],
    });
  });

  test('are none without a folder, and a file without the format is named', async () => {
    expect(await readHeads(heads())).toEqual({ heads: new Map(), unreadable: [] });
    const keeper = keepHeads(heads(), 'aaaaaaaa');
    keeper.note([end(1)]);
    await keeper.close();
    const path = join(heads(), 'ended.jsonl');
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"chain":4}\n`);
    expect(await readHeads(heads())).toMatchObject({ unreadable: [`${path}:2`] });
  });

  test('that cannot be written are said once, and nothing else fails', async () => {
    const said: string[] = [];
    writeFileSync(join(folder, 'no-folder'), '');
    const keeper = keepHeads(join(folder, 'no-folder'), 'aaaaaaaa', (line) => said.push(line));
    keeper.note([end(1)]);
    await keeper.close();
    expect(said).toEqual([expect.stringContaining('were not written into')]);
  });
});
