import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DemoSettings } from './config.js';
import { withFileLock } from './file-lock.js';
import { type DemoState, emptyState } from './state.js';

/** What an account is changed by: throws before it changes anything, or not at all. */
export type Change<T> = (state: DemoState) => T;

interface Pending {
  change: Change<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The file of a demo account, shared by all processes of the machine. Each change is there wholly or not at all. */
export class DemoStore {
  readonly path: string;
  readonly #initial: DemoSettings | undefined;
  #known: { state: DemoState; mark: string } | undefined;
  #pending: Pending[] = [];
  #writing = false;

  constructor(path: string, initial?: DemoSettings) {
    this.path = path;
    this.#initial = initial;
  }

  /** The account as it is now. Not to be modified. */
  async read(): Promise<DemoState> {
    const mark = await this.#mark();
    if (this.#known && this.#known.mark === mark) return this.#known.state;
    const state = mark === '' ? emptyState(this.#initial) : (JSON.parse(await readFile(this.path, 'utf8')) as DemoState);
    // Written meanwhile: what was read belongs to no mark that is known.
    this.#known = (await this.#mark()) === mark ? { state, mark } : undefined;
    return state;
  }

  /** Changes the account. Changes that come in while another is being written are written together. */
  change<T>(change: Change<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ change, resolve: resolve as (value: unknown) => void, reject });
      if (!this.#writing) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#writing = true;
    while (this.#pending.length > 0) {
      try {
        await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
        await withFileLock(`${this.path}.lock`, () => this.#write());
      } catch (error) {
        for (const { reject } of this.#pending.splice(0)) reject(error);
      }
    }
    this.#writing = false;
  }

  async #write(): Promise<void> {
    const state = await this.read();
    const batch = this.#pending.splice(0);
    const settle: (() => void)[] = [];
    try {
      for (const { change, resolve, reject } of batch) {
        try {
          const value = change(state);
          settle.push(() => resolve(value));
        } catch (error) {
          settle.push(() => reject(error));
        }
      }
      this.#known = undefined;
      const draft = `${this.path}.new`;
      await writeFile(draft, JSON.stringify(state), { mode: 0o600 });
      await rename(draft, this.path);
      this.#known = { state, mark: await this.#mark() };
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const end of settle) end();
  }

  /** Tells one version of the file from another; empty where there is none. */
  async #mark(): Promise<string> {
    const found = await stat(this.path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return found ? `${found.ino}/${found.mtimeNs}/${found.size}` : '';
  }
}

const stores = new Map<string, DemoStore>();

/** The one store of a path in this process. */
export function demoStore(path: string, initial?: DemoSettings): DemoStore {
  const store = stores.get(path) ?? new DemoStore(path, initial);
  stores.set(path, store);
  return store;
}
