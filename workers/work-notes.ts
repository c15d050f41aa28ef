import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { WorkNote } from '../core/engine/worker-deaths.js';

/** Room for one note, in bytes; a longer one is not kept. */
const SLOT = 512;

/**
 * Notes in a file what is at work, each in a slot of its own that is emptied at its end.
 * What was written survives the process, however that ends; a machine that restarts is no
 * death of the worker, so that nothing is synced to the disk.
 */
export class WorkNotes {
  readonly #file: number;
  readonly #free: number[] = [];
  #slots = 1;
  #closed = false;

  /** Empties what is there. */
  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
    this.#write(0, { boot: bootId() });
  }

  /** @returns what ends it */
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

  /** This worker ends by itself: nothing that is at work is to blame. */
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
      // On a full disk there is no note: what is at work goes on without one.
    }
  }
}

/** What the last worker left at work. */
export interface LastNotes {
  /** Nothing if it ended by itself. */
  atWork: WorkNote[];
  /** Whether the machine has run since: else the end of the machine was that of the worker. */
  sameBoot: boolean;
}

/** Reads what was at work when the last worker ended. */
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

/** Tells one run of this machine from the next, where the system says. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
