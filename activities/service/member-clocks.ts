import { type Facts, type FoundFacts, fact } from '../../core/host/facts.js';
import type { Question } from '../../core/host/question.js';

/** Whole seconds since 1970, as a host has them. */
const readSeconds = ({ stdout, exit }: { stdout: string; exit: number }): number | undefined =>
  exit === 0 && /^\d{1,12}\s*$/.test(stdout) ? Number(stdout) : undefined;

/** Asks a host for its clock. */
export const CLOCK_QUESTION: Question = {
  unit: 'clock',
  facts: { seconds: fact<number | undefined>('date +%s', readSeconds, undefined) },
};

/** By how many milliseconds a clock is at least and at most ahead of the worker's; negative: behind. */
export interface ClockOffset {
  least: number;
  most: number;
}

/**
 * Compares the clock of a host with the worker's. The host may have read it at any moment between the question and the
 * answer, so a slow answer says less and never too much.
 *
 * @param found its answer to `CLOCK_QUESTION`
 * @param from when it was asked, in the worker's milliseconds
 * @param until when it had answered
 */
export function compareClock(found: FoundFacts<Facts> | undefined, from: number, until: number): ClockOffset | undefined {
  const seconds: unknown = found?.seconds;
  if (typeof seconds !== 'number') return undefined;
  return { least: seconds * 1_000 - until, most: (seconds + 1) * 1_000 - from };
}

/** Milliseconds by which clocks of one group may differ. */
const MOST_APART_MS = 2_000;

const middleOf = ({ least, most }: ClockOffset): number => (least + most) / 2;

/**
 * Finds the members whose clocks are certainly apart from the middle one of the group. The worker's clock only says which
 * of two is wrong.
 *
 * @returns seconds by which each of them is ahead, or behind (negative), by server
 */
export function findClocksApart(offsets: ReadonlyMap<string, ClockOffset>): Record<string, number> {
  const sorted = [...offsets.values()].sort((one, other) => middleOf(one) - middleOf(other));
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (!lower || !upper) return {};
  const middle = Math.abs(middleOf(lower)) <= Math.abs(middleOf(upper)) ? lower : upper;
  const isApart = (one: ClockOffset) => Math.max(one.least - middle.most, middle.least - one.most) > MOST_APART_MS;
  return Object.fromEntries(
    [...offsets]
      .filter(([, offset]) => isApart(offset))
      .map(([server, offset]) => [server, Math.round((middleOf(offset) - middleOf(middle)) / 1_000)]),
  );
}
