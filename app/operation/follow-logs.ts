import { createHash } from 'node:crypto';
import type { OperationStatus } from '../../core/operation/operation.js';
import type { Engine } from '../engine.js';
import type { Pace } from '../follow/poll-loop.js';
import { followState, SharedState } from '../follow/shared-state.js';
import { badCursor } from '../lists/bad-cursor.js';
import { progressReader } from './state.js';

export const LOG_PACE: Pace = { firstMs: 0, everyMs: 1_000 };
/** Statuses of operations that may still have output. */
const OPEN: ReadonlySet<OperationStatus> = new Set(['queued', 'running', 'waiting', 'paused']);
/** Characters of an event, at most. */
const MOST_TEXT = 64 * 1024;

/** How much of the output of a unit the caller has, in characters, and the digest of that. */
type Position = readonly [length: number, digest: string];
/** By the digest of a unit's name. */
type Positions = Map<string, Position>;

type Entry = Awaited<ReturnType<Engine['stores']['logs']['read']>>[number];
interface LogState {
  entries: readonly Entry[];
  ended: boolean;
}

export interface LogEvent {
  cursor: string;
  server: string;
  taskserv: string;
  text: string;
  /** The unit was tried again, and its output begins again with this text. */
  again?: true;
}

interface Following {
  server?: string | undefined;
  taskserv?: string | undefined;
  after?: string | undefined;
  signal?: AbortSignal | undefined;
  pace?: Pace;
}

/**
 * Streams the output of hosts as it is kept, until the operation ends. All followers in this process share one reader.
 *
 * @param after the cursor of the last event that the caller has
 * @throws inputError `bad-cursor`, `unknown-operation`
 */
export function followLogs(engine: Engine, operation: string, asked: Following): AsyncGenerator<LogEvent> {
  return streamLogs(engine.temporal, operation, {
    ...asked,
    begin() {
      const look = progressReader(engine, operation);
      return { hasEnded: async () => !OPEN.has((await look()).status), read: () => engine.stores.logs.read(operation) };
    },
  });
}

interface LogSource {
  hasEnded(): Promise<boolean>;
  read(): Promise<Entry[]>;
}

/** @param owner has one reader for each operation; `begin` opens the source of a reader */
export async function* streamLogs(
  owner: object,
  operation: string,
  { begin, server, taskserv, after, signal, pace = LOG_PACE }: Following & { begin(): LogSource },
): AsyncGenerator<LogEvent> {
  const scope = digestOf(JSON.stringify([operation, server, taskserv]));
  const known = readPositions(scope, after);
  const make = (onOver: () => void) => shareLogs(begin(), pace, onOver);
  for await (const { entries, ended } of followState(owner, `logs ${operation}`, { make, signal }))
    for (const [unit, entry] of nameUnits(entries)) {
      if ((server && entry.server !== server) || (taskserv && entry.taskserv !== taskserv)) continue;
      for (const part of findNew(known.get(unit), entry.text, ended)) {
        known.set(unit, part.position);
        const { text, again } = part;
        const place = { server: entry.server, taskserv: entry.taskserv };
        yield { cursor: writePositions(scope, known), ...place, text, ...(again && { again }) };
      }
    }
}

/** A unit has 16 characters or so: an operation with a thousand units has a cursor that fits into a header. */
const writePositions = (scope: string, known: Positions): string =>
  [scope, ...[...known].map(([unit, [length, digest]]) => `${unit}${digest}${length.toString(36)}`)].join('.');

/** @throws inputError `bad-cursor` */
function readPositions(scope: string, cursor: string | undefined): Positions {
  const known: Positions = new Map();
  if (cursor === undefined) return known;
  const [first, ...parts] = cursor.split('.');
  if (first !== scope) throw badCursor('the cursor belongs to another stream');
  for (const part of parts) {
    const [, unit, digest, length] = /^([\w-]{6})([\w-]{6})([0-9a-z]{1,7})$/.exec(part) ?? [];
    if (unit === undefined || digest === undefined || length === undefined) throw badCursor('the text is not a cursor');
    known.set(unit, [Number.parseInt(length, 36), digest]);
  }
  return known;
}

function shareLogs(source: LogSource, pace: Pace, onOver: () => void): SharedState<LogState> {
  const sizeOf = ({ entries, ended }: LogState) => `${entries.map(({ text }) => text.length).join()} ${ended}`;
  return new SharedState<LogState>(
    {
      async read() {
        // First the end: the output of an operation that has ended is complete.
        const ended = await source.hasEnded();
        return { entries: await source.read(), ended };
      },
      isSame: (before, now) => sizeOf(before) === sizeOf(now),
      isLast: ({ ended }) => ended,
    },
    pace,
    onOver,
  );
}

/** The entries by the digests of their units' names. A taskserv can have two entries in an operation. */
function nameUnits(entries: readonly Entry[]): Map<string, Entry> {
  const units = new Map<string, Entry>();
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const name = `${entry.server}/${entry.taskserv}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    units.set(digestOf(`${name} ${count}`), entry);
  }
  return units;
}

interface Part {
  text: string;
  position: Position;
  again?: true;
}

/**
 * The parts of an output that the caller does not have. Another attempt writes the same output from its start: while it
 * is shorter than what the caller has, it is waited for.
 */
function* findNew(known: Position = NOTHING, text: string, ended: boolean): Generator<Part> {
  const [length, digest] = known;
  if (text.length < length && !ended) return;
  const continues = text.length >= length && digestOf(text.slice(0, length)) === digest;
  for (let from = continues ? length : 0; from < text.length; from += MOST_TEXT) {
    const to = Math.min(from + MOST_TEXT, text.length);
    const again = !continues && from === 0 ? { again: true as const } : {};
    yield { text: text.slice(from, to), position: [to, digestOf(text.slice(0, to))], ...again };
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 6);
const NOTHING: Position = [0, digestOf('')];
