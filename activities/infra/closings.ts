import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { quoteValue } from '../../core/engine/quote-value.js';
import { messageOf } from '../../core/errors.js';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import type { ListWorkflows } from '../dependencies.js';

/** A workflow that closed otherwise than well, and Temporal's word for how. */
export interface Closing {
  workflow: string;
  how: string;
  /** Its infra. */
  infra?: string;
}

/** How late what has closed may be listed, in milliseconds. */
export const LATE_MS = 60_000;
/** Pause between two looks, in milliseconds. */
const EVERY_MS = 1_000;

/** Hears what closed. @param upTo everything that closed before was told, in milliseconds of the server's clock */
type Hearer = (closings: readonly Closing[], upTo: number) => void;

/** Tells whoever watches workflows of those that closed otherwise than well: one query a second, however many watch. */
export interface Closings {
  /**
   * Reports what closed within the last minute, then each closing, until it is stopped.
   *
   * @param now by the server's clock, in milliseconds: ours may be off
   * @returns what stops it
   */
  watch(now: number, hear: Hearer): () => void;
}

/** @param taskQueue whose workflows are looked at */
export function createClosings(list: ListWorkflows, taskQueue: string): Closings {
  const hearers = new Set<Hearer>();
  /** Closings that the list returns repeatedly until the look begins after them, by run. */
  const told = new Map<string, Closing & { at: number }>();
  let ahead = 0;
  /** Begin of the next look: the end of the last successful one. */
  let from: number | undefined;
  let isLooking = false;

  const serverNow = () => performance.now() + ahead;

  async function look(): Promise<void> {
    const upTo = Math.floor(serverNow() - LATE_MS);
    const fresh: Closing[] = [];
    for await (const info of list(formatClosingsQuery(taskQueue, from ?? upTo), 1_000)) {
      if (told.has(info.runId)) continue;
      const closing = { ...parseClosing(info), at: info.closeTime?.getTime() ?? serverNow() };
      told.set(info.runId, closing);
      fresh.push(closing);
    }
    from = upTo;
    for (const [run, { at }] of told) if (at < upTo) told.delete(run);
    for (const hear of hearers) hear(fresh, upTo);
  }

  async function run(): Promise<void> {
    isLooking = true;
    while (hearers.size > 0) {
      await look().catch((error: unknown) => console.warn(`looking for workflows that closed: ${messageOf(error)}`));
      await sleep(EVERY_MS);
    }
    isLooking = false;
    from = undefined;
    told.clear();
  }

  return {
    watch(now, hear) {
      ahead = now - performance.now();
      hearers.add(hear);
      hear([...told.values()], now - LATE_MS);
      if (!isLooking) void run();
      return () => void hearers.delete(hear);
    },
  };
}

/** Those that closed otherwise than well: who ended well has said so. */
export const formatClosingsQuery = (taskQueue: string, from: number): string =>
  [
    `TaskQueue = ${quoteValue(taskQueue)}`,
    "ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled')",
    `CloseTime >= '${new Date(from).toISOString()}'`,
  ].join(' AND ');

export function parseClosing({ workflowId: workflow, status, searchAttributes }: WorkflowExecutionInfo): Closing {
  const [infra] = (searchAttributes?.[SEARCH_ATTRIBUTES.infra] ?? []) as string[];
  return { workflow, how: status.name, ...(infra && { infra }) };
}
