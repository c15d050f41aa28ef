import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { WorkNote } from '../core/engine/worker-deaths.js';

/** Size of a note, in bytes; a longer one is dropped. */
const SLOT = 512;

/**
 * Records running activities in a file, each in its own slot that is cleared at its end. The notes survive any end of
 * the process. A restart of the machine does not count as a death of the worker, so nothing is synced to the disk.
 */
export class WorkNotes {
  readonly #file: number;
  readonly #free: number[] = [];
  #slots = 1;
  #closed = false;

  /** Clears the file. */
  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
    this.#write(0, { boot: bootId() });
  }

  /** @returns a function that clears the note */
  begin(note: WorkNote): () => void {
    if (this.#closed) return () => {};
    const slot = this.#free.pop() ?? this.#slots++;
    this.#write(slot, note);
    return () => {
      if (this.#closed) return;
      this.#write(slot);
      this.#free.push(slot);
    };
  }

  /** Records a regular end of this worker: no running activity is to blame. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    ftruncateSync(this.#file);
    closeSync(this.#file);
  }

  #write(slot: number, content?: object): void {
    const text = content ? JSON.stringify(content) : '';
    const line = Buffer.from(text);
    const bytes = Buffer.alloc(SLOT, ' ');
    if (line.length < SLOT) line.copy(bytes);
    bytes[SLOT - 1] = 0x0a;
    try {
      writeSync(this.#file, bytes, 0, SLOT, slot * SLOT);
    } catch {
      // On a full disk there is no note: the activity continues without one.
    }
  }
}

/** Notes that the last worker left. */
export interface LastNotes {
  /** Empty after a regular end. */
  atWork: WorkNote[];
  /** Whether the machine has run since. Otherwise the worker ended with the machine. */
  sameBoot: boolean;
}

/** Reads the activities that were running when the last worker ended. */
export function lastNotes(path: string): LastNotes {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return { atWork: [], sameBoot: false };
  }
  const [header, ...notes] = text.split('\n').map(parse);
  const atWork = notes.flatMap((note) => (note?.operation && note.activity && note.type ? [note as WorkNote] : []));
  return { atWork, sameBoot: header?.boot !== undefined && header.boot === bootId() };
}

function parse(line: string): Partial<WorkNote & { boot: string }> | undefined {
  try {
    return JSON.parse(line.trim() || 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns an id of this boot of the machine, if the system has one. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
