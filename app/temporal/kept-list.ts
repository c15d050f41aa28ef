import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { SharedReads } from './shared-reads.js';
import { CLOSE_CONDITION, listWorkflows, OPEN } from './visibility.js';

/** A list is read as a whole after this time, in milliseconds, while its callers still get the kept one. */
const RENEW_AFTER_MS = 30_000;
/** A list that is older is not used. In milliseconds. */
const KEEP_MS = 60_000;
/**
 * A look also reads what began or ended in this time before the last look. It covers the time until Temporal has
 * written a change to its list, and a difference of clocks. In milliseconds.
 */
const MARGIN_MS = 15_000;
/** Small pages let other requests through: Temporal takes about 0.35 ms of a processor for a workflow with SQLite. */
const RENEWAL_PAGE = 100;

type Open = ReadonlyMap<string, WorkflowExecutionInfo>;

/** A list as it was after a look. Times are in milliseconds since 1970. */
interface Kept {
  open: Open;
  /** When the last look began. */
  lookedAt: number;
  /** When the whole list had been read. */
  wholeAt: number;
}

const NOTHING: Kept = { open: new Map(), lookedAt: MARGIN_MS, wholeAt: 0 };

/** Source of lists and time, which tests replace. */
export interface ListReader {
  list(query: string, pageSize?: number): AsyncIterable<WorkflowExecutionInfo>;
  now(): number;
}

/**
 * Condition of workflows that began or ended since a time (ISO). Temporal compares an open workflow as if it closed in
 * the year 9999: without its status, a condition of the close time would list all open ones.
 */
const changedSince = (since: string): string =>
  `((${OPEN} AND StartTime >= '${since}') OR (${CLOSE_CONDITION} AND CloseTime >= '${since}'))`;

/** Lists of open workflows by their conditions, kept by one client. */
export class KeptLists {
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<void>>();
  readonly #looks = new SharedReads();

  constructor(private readonly reader: ListReader) {}

  /**
   * Lists the open workflows that meet the conditions, as `listWorkflows` does. The first call reads them all. The
   * following calls read what has begun or ended since, so that they cost little, however long the list is. At the
   * latest after a minute the list is read as a whole, for what Temporal has deleted or wrote late.
   *
   * @param conditions of the query, by attributes that a workflow never changes
   */
  async list(conditions: string): Promise<WorkflowExecutionInfo[]> {
    const age = this.reader.now() - (this.#kept.get(conditions)?.wholeAt ?? Number.NEGATIVE_INFINITY);
    if (age >= KEEP_MS) await this.#readWhole(conditions);
    // The calls meanwhile use the kept list. If it cannot be renewed, the next call tries again.
    else if (age >= RENEW_AFTER_MS) void this.#readWhole(conditions, RENEWAL_PAGE).catch(() => undefined);
    // A list that another call reads may have begun before this call.
    return [...(await this.#looks.read(conditions, () => this.#look(conditions))).values()];
  }

  /** Reads the whole list, once at a time. */
  #readWhole(conditions: string, pageSize?: number): Promise<void> {
    const read = async () => {
      const began = this.reader.now();
      const open = new Map<string, WorkflowExecutionInfo>();
      for await (const info of this.reader.list(`${conditions} AND ${OPEN}`, pageSize)) open.set(info.workflowId, info);
      this.#keep(conditions, { open, lookedAt: began, wholeAt: this.reader.now() });
    };
    const reading = this.#reading.get(conditions) ?? read().finally(() => this.#reading.delete(conditions));
    this.#reading.set(conditions, reading);
    return reading;
  }

  /** Reads what has begun or ended since the last look. */
  async #look(conditions: string): Promise<Open> {
    const kept = this.#kept.get(conditions) ?? NOTHING;
    const began = this.reader.now();
    const since = new Date(kept.lookedAt - MARGIN_MS).toISOString();
    const changed = new Map<string, WorkflowExecutionInfo | undefined>();
    // One that has continued as a new run is listed with both.
    for await (const info of this.reader.list(`${conditions} AND ${changedSince(since)}`))
      if (info.closeTime === undefined) changed.set(info.workflowId, info);
      else if (!changed.has(info.workflowId)) changed.set(info.workflowId, undefined);
    const open = new Map(kept.open);
    for (const [id, info] of changed)
      if (info) open.set(id, info);
      else open.delete(id);
    this.#keep(conditions, { ...kept, open, lookedAt: began });
    return open;
  }

  /** Keeps the newest list, and forgets those that nothing uses. */
  #keep(conditions: string, kept: Kept): void {
    const now = this.reader.now();
    for (const [other, { wholeAt }] of this.#kept) if (now - wholeAt >= KEEP_MS) this.#kept.delete(other);
    const present = this.#kept.get(conditions);
    const isNewer =
      !present || kept.wholeAt > present.wholeAt || (kept.wholeAt === present.wholeAt && kept.lookedAt >= present.lookedAt);
    if (isNewer) this.#kept.set(conditions, kept);
  }
}

const listsOf = new WeakMap<Client, KeptLists>();

/**
 * Lists the open workflows that meet the conditions. A process that asks often pays only for what has changed.
 *
 * @param conditions of the query, by attributes that a workflow never changes
 */
export function listKept(temporal: Client, conditions: string): Promise<WorkflowExecutionInfo[]> {
  let lists = listsOf.get(temporal);
  if (!lists) {
    lists = new KeptLists({ list: (query, pageSize) => listWorkflows(temporal, query, pageSize), now: Date.now });
    listsOf.set(temporal, lists);
  }
  return lists.list(conditions);
}
