import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessMark } from '../../core/engine/engine.js';
import { createFile, replaceFile } from '../../home/durable.js';
import type { Home } from '../../home/home.js';
import { isAlive, readProcessMark } from '../../home/process-mark.js';
import { createHeldError, createMovedError, HOLD_PATIENCE_MS, HOLD_PAUSE_MS, type StoreMove, type StoreMoves } from '../moves.js';
import type { Fence } from './fence-stores.js';

export const FILES_NAME = 'files of the home';

type Place = Pick<Home, 'engine'>;
const moveFile = ({ engine }: Place): string => join(engine, 'store-moved.json');
const holdFile = ({ engine }: Place): string => join(engine, 'store-held.json');

/** Returns the marks of moves in a home's files. */
export function fileMoves(home: Place): StoreMoves {
  const path = holdFile(home);
  return {
    read: () => readJson<StoreMove>(moveFile(home)),
    async write(move) {
      if (move) await replaceFile(moveFile(home), JSON.stringify(move));
      else await rm(moveFile(home), { force: true });
    },
    async hold(work) {
      const mark = JSON.stringify(readProcessMark(process.pid));
      // A hold without its process has ended.
      if (await isHeld(home)) throw createHeldError(FILES_NAME);
      await rm(path, { force: true });
      if (!(await createFile(path, mark))) throw createHeldError(FILES_NAME);
      try {
        return await work(async (move) => {
          if ((await readFile(path, 'utf8').catch(() => '')) !== mark) throw createHeldError(FILES_NAME);
          await replaceFile(moveFile(home), JSON.stringify(move));
        });
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}

/** Refuses files of a home whose state has moved. @throws unreachableError `store-moved` */
export async function refuseMovedFiles(home: Place): Promise<void> {
  const move = await readJson<StoreMove>(moveFile(home));
  if (move) throw createMovedError(FILES_NAME, move);
}

/**
 * Delays writes to the files of a home while they are held. The hold begins before the last read of a move. If a write
 * finds neither a hold nor a mark at its end, the move has read it, or there was no move.
 */
export const fileFence =
  (home: Place): Fence =>
  async () => {
    for (const until = Date.now() + HOLD_PATIENCE_MS; await isHeld(home); await sleep(HOLD_PAUSE_MS))
      if (Date.now() > until) throw createHeldError(FILES_NAME);
    await refuseMovedFiles(home);
  };

async function isHeld(home: Place): Promise<boolean> {
  const mark = await readJson<ProcessMark>(holdFile(home));
  return mark !== undefined && isAlive(mark);
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
