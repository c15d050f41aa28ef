import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileFence, fileMoves, refuseMovedFiles } from './file-moves.js';

const MOVED = { state: 'moved', setUp: 'a-set-up', other: 'postgres://db/state' } as const;
const failing = (why: RegExp) =>
  expect.objectContaining({ details: expect.objectContaining({ code: 'store-moved', why: expect.stringMatching(why) }) });

let engine: string;
beforeEach(async () => {
  engine = await mkdtemp(join(tmpdir(), 'moves-'));
});
afterEach(() => rm(engine, { recursive: true }));

test('a move is written and removed, and while it is there the files are refused', async () => {
  const moves = fileMoves({ engine });
  expect(await moves.read()).toBeUndefined();
  await moves.write(MOVED);
  expect(await moves.read()).toEqual(MOVED);
  await expect(refuseMovedFiles({ engine })).rejects.toEqual(failing(/postgres/));
  await expect(fileFence({ engine })()).rejects.toEqual(failing(/postgres/));
  await moves.write(undefined);
  expect(await moves.read()).toBeUndefined();
  await refuseMovedFiles({ engine });
});

test('a hold has one holder, who writes the move, and ends with the work', async () => {
  const moves = fileMoves({ engine });
  const result = await moves.hold(async (finish) => {
    await expect(fileMoves({ engine }).hold(async () => {})).rejects.toEqual(failing(/another process moves/));
    await finish(MOVED);
    return 'done';
  });
  expect(result).toBe('done');
  expect(await moves.read()).toEqual(MOVED);
  expect(await readdir(engine)).toEqual(['store-moved.json']);
});

test('a holder whose hold was taken away moves nothing, and failed work leaves no hold', async () => {
  const moves = fileMoves({ engine });
  const taken = moves.hold(async (finish) => {
    await writeFile(join(engine, 'store-held.json'), '{"pid":1}');
    await finish(MOVED);
  });
  await expect(taken).rejects.toEqual(failing(/another process moves/));
  expect(await readdir(engine)).toEqual([]);
});

test('a hold of a process that has ended is none', async () => {
  await writeFile(join(engine, 'store-held.json'), JSON.stringify({ pid: 2 ** 22 + 1, started: '1' }));
  await fileFence({ engine })();
  expect(await fileMoves({ engine }).hold(async () => 'held')).toBe('held');
});
