import { appendFile, mkdir, open, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DemoSettings } from '../config.js';
import { lockFile } from './file-lock.js';
import { replay, scribe, type Touch } from './journal.js';
import { type DemoState, emptyState } from './state.js';

/** Change of an account. It throws before it changes anything, or not at all. */
export type Change<T> = (state: DemoState, touch: Touch) => T;

interface Pending {
  change: Change<unknown>;
  /** The change reports what it touches, so that a journal line is enough. */
  says: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Known {
  state: DemoState;
  /** File from which the state was read, and how far. */
  file: string;
  size: number;
  /** Size of the whole account at the beginning of the file, in bytes. */
  whole: number;
}

/** Minimum size of a journal before the whole account is written again, in bytes. */
const SHORT_JOURNAL = 256 * 1024;

/**
 * File of a demo account, shared by all processes of the machine. The first line has the whole account, and each change
 * adds a line. Therefore the cost of a change does not depend on the account's size. Lines are atomic: an unfinished
 * line of a killed process is ignored.
 */
export class DemoStore {
  readonly path: string;
  readonly #initial: DemoSettings | undefined;
  #known: Known | undefined;
  #reading: Promise<Known> | undefined;
  #pending: Pending[] = [];
  #writing = false;

  constructor(path: string, initial?: DemoSettings) {
    this.path = path;
    this.#initial = initial;
  }

  /** Returns the current account, which must not be modified. */
  async read(): Promise<DemoState> {
    // This process already knows what it is writing.
    if (this.#writing && this.#known) return this.#known.state;
    return (await this.#refresh()).state;
  }

  /** Changes the account in any way. Changes that arrive during a write are written together. */
  change<T>(change: Change<T>): Promise<T> {
    return this.#enqueue(change, false);
  }

  /** Changes the account by a change that reports everything it touches. */
  edit<T>(change: Change<T>): Promise<T> {
    return this.#enqueue(change, true);
  }

  #enqueue<T>(change: Change<T>, says: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ change, says, resolve: resolve as (value: unknown) => void, reject });
      if (!this.#writing) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#writing = true;
    while (this.#pending.length > 0) {
      try {
        await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
        await lockFile(`${this.path}.lock`, () => this.#write());
      } catch (error) {
        this.#known = undefined;
        for (const { reject } of this.#pending.splice(0)) reject(error);
      }
    }
    this.#writing = false;
  }

  async #write(): Promise<void> {
    const known = await this.#refresh();
    const batch = this.#pending.splice(0);
    const settle: (() => void)[] = [];
    try {
      const { touch, line } = scribe(known.state);
      for (const { change, resolve, reject } of batch) {
        try {
          const value = change(known.state, touch);
          settle.push(() => resolve(value));
        } catch (error) {
          settle.push(() => reject(error));
        }
      }
      const torn = known.size !== (await this.#sizeOf(known.file));
      const long = known.size - known.whole > Math.max(SHORT_JOURNAL, known.whole);
      if (known.file === '' || torn || long || batch.some(({ says }) => !says)) this.#known = await this.#rewrite(known.state);
      else {
        const text = line();
        await appendFile(this.path, text, { mode: 0o600 });
        this.#known = { ...known, size: known.size + Buffer.byteLength(text) };
      }
    } catch (error) {
      this.#known = undefined;
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const end of settle) end();
  }

  async #rewrite(state: DemoState): Promise<Known> {
    const draft = `${this.path}.new`;
    const text = `${JSON.stringify(state)}\n`;
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, this.path);
    const { file, size } = await this.#stat();
    return { state, file, size, whole: size };
  }

  /** Reads the rest of the file. Concurrent callers share one read. */
  #refresh(): Promise<Known> {
    this.#reading ??= this.#load().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #load(): Promise<Known> {
    const { file, size } = await this.#stat();
    const known = this.#known?.file === file && this.#known.size <= size ? this.#known : undefined;
    if (known?.size === size) return known;
    if (file === '') return { state: emptyState(this.#initial), file, size: 0, whole: 0 };
    const read = await this.#tail(known?.size ?? 0);
    // Another file has replaced it in the meantime.
    if (read.file !== file) return this.#load();
    const lines = read.text.slice(0, read.text.lastIndexOf('\n') + 1);
    const rows = lines.split('\n').filter(Boolean);
    const first = known ? undefined : rows.shift();
    // A file of an earlier version has fewer tables.
    const state = known?.state ?? { ...emptyState(), ...(JSON.parse(first ?? 'null') as DemoState) };
    for (const row of rows) replay(state, row);
    const whole = known?.whole ?? Buffer.byteLength(first ?? '') + 1;
    this.#known = { state, file, size: (known?.size ?? 0) + Buffer.byteLength(lines), whole };
    return this.#known;
  }

  async #tail(from: number): Promise<{ file: string; text: string }> {
    const handle = await open(this.path, 'r');
    try {
      const found = await handle.stat({ bigint: true });
      const buffer = Buffer.alloc(Number(found.size) - from);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
      return { file: nameOf(found), text: buffer.toString('utf8', 0, bytesRead) };
    } finally {
      await handle.close();
    }
  }

  async #sizeOf(file: string): Promise<number> {
    const found = await this.#stat();
    return found.file === file ? found.size : -1;
  }

  /** Returns the identity of the file, which changes if another file replaces it; empty if there is no file. */
  async #stat(): Promise<{ file: string; size: number }> {
    try {
      const found = await stat(this.path, { bigint: true });
      return { file: nameOf(found), size: Number(found.size) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { file: '', size: 0 };
      throw error;
    }
  }
}

const nameOf = ({ ino, birthtimeNs }: { ino: bigint; birthtimeNs: bigint }): string => `${ino}/${birthtimeNs}`;

const stores = new Map<string, DemoStore>();

/** Returns the store of a path, one per process. */
export function demoStore(path: string, initial?: DemoSettings): DemoStore {
  const store = stores.get(path) ?? new DemoStore(path, initial);
  stores.set(path, store);
  return store;
}
