import { appendFile, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../core/errors.js';
import { replaceFile } from '../../home/durable.js';
import { makePrivate } from '../../home/private-folder.js';
import type { ChainEnd } from './chain.js';

/** Ends of chains are on disk after this time, in milliseconds. */
const WRITE_MS = 500;
/** File with the chain ends of ended processes. Lines are only appended, so that several processes can write at once. */
const END_FILE = 'ended.jsonl';
const LIVE = /^[0-9a-f-]{8,64}\.json$/;
/** A folder that cannot be written is complained about this often, in milliseconds. */
const COMPLAIN_MS = 60_000;

const head = z.strictObject({ chain: z.string(), sequence: z.int().min(1), hash: z.string(), at: z.iso.datetime() });

/** End of a chain at one moment. */
export type Head = z.infer<typeof head>;

/** Stores the chain ends of one process outside of the database. */
export interface HeadsKeeper {
  note(ends: readonly ChainEnd[]): void;
  /** Writes the noted ends. Never throws: the log reports ends that could not be written. */
  close(): Promise<void>;
}

/**
 * Creates a keeper that writes chain ends into its own file in a folder, synced at most a second after they are noted.
 *
 * @param name of the process: no other process has it
 */
export function keepHeads(folder: string, name: string, log: (line: string) => void = console.error): HeadsKeeper {
  const path = join(folder, `${name}.json`);
  const heads = new Map<string, Head>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let complained = Number.NEGATIVE_INFINITY;

  const orComplain = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (performance.now() - complained < COMPLAIN_MS) return;
      complained = performance.now();
      log(`the ends of the audit chains were not written into ${folder}: ${messageOf(error)}`);
    }
  };

  async function write(): Promise<void> {
    await makePrivate(folder, 'keep the ends of audit chains');
    await replaceFile(path, `${JSON.stringify([...heads.values()])}\n`);
  }

  return {
    note(ends) {
      const at = new Date().toISOString();
      for (const { chain, sequence, hash } of ends) heads.set(chain, { chain, sequence, hash, at });
      timer ??= setTimeout(() => {
        timer = undefined;
        writing = writing.then(() => orComplain(write));
      }, WRITE_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await writing;
      if (heads.size === 0) return;
      await orComplain(async () => {
        await write();
        await appendSynced(join(folder, END_FILE), [...heads.values()].map((one) => `${JSON.stringify(one)}\n`).join(''));
        await rm(path, { force: true });
      });
    },
  };
}

async function appendSynced(path: string, text: string): Promise<void> {
  await appendFile(path, text, { mode: 0o600 });
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}

/** Chain ends that a folder records. */
export interface ReadHeads {
  /** By chain: the furthest end. */
  heads: ReadonlyMap<string, Head>;
  /** Files, or lines of them, that do not have the format, each with its path. */
  unreadable: readonly string[];
}

/** Reads all ends of chains that processes have written into a folder. Throws if it cannot be read, unless it is missing. */
export async function readHeads(folder: string): Promise<ReadHeads> {
  const heads = new Map<string, Head>();
  const unreadable: string[] = [];
  const take = (path: string, read: () => unknown) => {
    try {
      for (const one of z.array(head).parse(read()))
        if ((heads.get(one.chain)?.sequence ?? 0) < one.sequence) heads.set(one.chain, one);
    } catch {
      unreadable.push(path);
    }
  };
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names.sort()) {
    const path = join(folder, name);
    if (!LIVE.test(name) && name !== END_FILE) continue;
    // One that has just ended is in the other file, which is read after it in any case.
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    if (name !== END_FILE) take(path, () => JSON.parse(text));
    else for (const [at, line] of text.split('\n').entries()) if (line !== '') take(`${path}:${at + 1}`, () => [JSON.parse(line)]);
  }
  return { heads, unreadable };
}
