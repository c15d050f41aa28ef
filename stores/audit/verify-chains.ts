import { AUDIT_CLASSES, type AuditEntry, type AuditRow } from '../rows/audit-records.js';
import type { RowLog } from '../rows.js';
import { formatId, hashAfter, hashBeginning, parseEntry, readWriter } from './chain.js';
import type { Head } from './heads.js';
import { cutOff } from './retention.js';

/** Faults of records in a chain. */
export const AUDIT_FAULTS = ['changed', 'removed', 'reordered', 'swapped', 'cut', 'writer-removed'] as const;

/** Records of a chain with one fault, one after the other. */
export interface ChainProblem {
  fault: (typeof AUDIT_FAULTS)[number];
  writer: string;
  chain: string;
  /** The first of these records. */
  sequence: number;
  /** The last of them. */
  through: number;
  /** The fault, as a sentence without its full stop. */
  why: string;
}

export interface Verification {
  records: number;
  chains: number;
  /** Chains without an end in a file: chains of other machines, or of a restored home. */
  withoutHead: number;
  problems: ChainProblem[];
  /** Whether there are more problems than are listed. */
  more: boolean;
}

/** Problems that are listed, at most. */
const MOST_PROBLEMS = 1_000;
/** Missing numbers of a chain that are remembered one by one, at most. */
const MOST_GAPS = 100_000;

interface ChainState {
  /** Sequence of the next record. */
  next: number;
  /** The hash of the record before. */
  hash: string;
  /** The first record, if the beginning was deleted: its number, and the hash before it. */
  start?: { sequence: number; previous: string };
  gaps: Set<number>;
}

type Fault = ChainProblem['fault'];
type DropRecord = NonNullable<AuditEntry['dropped']>;

/**
 * Follows all chains of a log, and compares their ends with the ends outside of the database. Each record is read
 * once, and only the ends of chains are in memory.
 *
 * @param heads by chain; a chain may continue after its head
 */
export async function verifyChains(
  log: Pick<RowLog<AuditRow>, 'inspect'>,
  heads: ReadonlyMap<string, Head>,
  now = Date.now(),
): Promise<Verification> {
  const chains = new Map<string, ChainState>();
  const dropped = new Map<string, DropRecord[]>();
  const found: ChainProblem[] = [];
  const latest = new Map<string, ChainProblem>();
  let more = false;
  let records = 0;

  function report(fault: Fault, chain: string, sequence: number, why: string, through = sequence): void {
    const key = JSON.stringify([chain, fault, why]);
    const last = latest.get(key);
    if (last && last.through + 1 === sequence) {
      last.through = through;
      return;
    }
    if (found.length === MOST_PROBLEMS) {
      more = true;
      return;
    }
    const problem = { fault, writer: readWriter(chain), chain, sequence, through, why };
    found.push(problem);
    latest.set(key, problem);
  }

  function stateOf(chain: string): ChainState {
    const state = chains.get(chain) ?? { next: 1, hash: hashBeginning(chain), gaps: new Set<number>() };
    chains.set(chain, state);
    return state;
  }

  /** Takes the next record of a chain by its place in the database, whatever its text claims. */
  function place(chain: string, sequence: number, previous: string | undefined, hash: string | undefined): void {
    const state = stateOf(chain);
    if (sequence < state.next) {
      const isLate = state.gaps.delete(sequence);
      report('reordered', chain, sequence, isLate ? 'it stands behind later records' : 'there is another record of this number');
      return;
    }
    const isFirst = state.next === 1 && sequence > 1;
    if (isFirst && previous !== undefined) state.start = { sequence, previous };
    else if (sequence === state.next && previous !== undefined && state.hash !== '' && previous !== state.hash)
      report('changed', chain, sequence, 'it does not follow from the record before it');
    if (!isFirst || previous === undefined)
      for (let gap = state.next; gap < sequence && state.gaps.size < MOST_GAPS; gap++) state.gaps.add(gap);
    const known = heads.get(chain);
    if (known?.sequence === sequence && hash !== undefined && known.hash !== hash)
      report('changed', chain, sequence, 'its hash is not the one that was written outside of the database');
    state.next = sequence + 1;
    // After a record that cannot be read, the next one has nothing to follow from.
    state.hash = hash ?? '';
  }

  function take(row: AuditRow): void {
    const entry = parseEntry(row);
    const at = numberIn(row.id);
    if (!entry) {
      report('changed', row.chain, at, 'it does not have the format of a record');
      place(row.chain, at, row.previous, row.hash);
      return;
    }
    if (entry.chain !== row.chain) report('swapped', row.chain, at, `it belongs to the chain ${entry.chain}`);
    else if (entry.sequence !== at) report('reordered', row.chain, at, `it is the record ${entry.sequence} of the chain`);
    else if (hashAfter(row.previous, row.text) !== row.hash) report('changed', row.chain, at, 'its hash is another one');
    else if (!hasColumns(row, entry)) report('changed', row.chain, at, 'the database selects it by other values than it has');
    if (entry.dropped && entry.chain === row.chain)
      dropped.set(entry.dropped.chain, [...(dropped.get(entry.dropped.chain) ?? []), entry.dropped]);
    place(row.chain, at, row.previous, row.hash);
  }

  for (let after: string | undefined; ; ) {
    const { rows, next } = await log.inspect({ limit: 1_000, ...(after && { after }) });
    records += rows.length;
    for (const one of rows) {
      if (one.row) {
        take(one.row);
        continue;
      }
      const chain = one.id.slice(0, one.id.lastIndexOf('/'));
      report('changed', chain, numberIn(one.id), `it cannot be read: ${one.fault}`);
      place(chain, numberIn(one.id), undefined, undefined);
    }
    if (next === undefined) break;
    after = next;
  }

  for (const [chain, { gaps, start, next }] of chains) {
    for (const gap of [...gaps].sort((a, b) => a - b)) report('removed', chain, gap, 'it is missing');
    const isDropped = (through: number, hash: string | undefined) =>
      dropped.get(chain)?.some((one) => one.through === through && one.hash === hash) === true;
    if (start && !isDropped(start.sequence - 1, start.previous))
      report('removed', chain, 1, 'it is missing, and no record says that its time was over', start.sequence - 1);
    const known = heads.get(chain);
    if (known && known.sequence >= next) report('cut', chain, next, 'it is missing at the end of the chain', known.sequence);
  }
  const gone = [...heads.values()].filter(({ chain }) => !chains.has(chain));
  const there = new Set([...chains.keys()].map(readWriter));
  for (const { chain, sequence, hash, at } of gone) {
    if (dropped.get(chain)?.some((one) => one.through >= sequence && (one.through > sequence || one.hash === hash))) continue;
    // The record of its deletion may have been deleted since.
    if (Date.parse(at) < longAgo(now)) continue;
    const isWhole = !there.has(readWriter(chain));
    report(
      isWhole ? 'writer-removed' : 'cut',
      chain,
      1,
      isWhole ? 'all chains of the writer are missing' : 'the whole chain is missing',
      sequence,
    );
  }
  const withoutHead = [...chains.keys()].filter((chain) => !heads.has(chain)).length;
  return { records, chains: chains.size, withoutHead, problems: found, more };
}

const longAgo = (now: number): number => Math.min(...AUDIT_CLASSES.map((of) => cutOff(of, now)));

/** Returns the sequence in the id of a row; 0 without one. */
function numberIn(id: string): number {
  const number = Number(id.slice(id.lastIndexOf('/') + 1));
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

const hasColumns = (row: AuditRow, entry: AuditEntry): boolean =>
  row.id === formatId(row.chain, entry.sequence) &&
  row.class === entry.class &&
  row.call === entry.call &&
  row.who === entry.who &&
  row.method === entry.method &&
  row.outcome === entry.outcome;
