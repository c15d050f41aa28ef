import * as z from 'zod';
import type { StepEffect } from '../../sdk/index.js';

const difference = z.object({ lines: z.array(z.string()), added: z.int(), removed: z.int(), more: z.int() });

const work = z.object({
  title: z.string(),
  action: z.enum(['add', 'change', 'delete', 'keep']),
  why: z.string().optional(),
  refused: z.literal(true).optional(),
  diff: difference.optional(),
});

const answer = z.union([
  /** Without kubectl or the file of the cluster, or a file that is fetched first. */
  z.object({ state: z.literal('absent') }),
  z.object({ state: z.enum(['silent', 'refused']), why: z.string() }),
  z.object({ state: z.literal('seen'), is: z.boolean(), listed: z.int(), noted: z.boolean(), work: z.array(work) }),
]);

/** The unit's objects in the cluster, as the host's program compared them with what is wanted. */
export type FoundCluster = z.output<typeof answer>;

export type Work = z.output<typeof work>;

export const ABSENT: FoundCluster = { state: 'absent' };

/** Reads the answer of the host. What is no answer is taken for a cluster that does not answer. */
export function parseCluster({ stdout, exit }: { stdout: string; exit: number }): FoundCluster {
  if (exit === 3) return ABSENT;
  try {
    return answer.parse(JSON.parse(stdout));
  } catch {
    return { state: 'silent', why: 'the host does not say how the objects are' };
  }
}

/** Whether nothing is left to do. */
export const isDone = (found: FoundCluster): boolean => found.state === 'seen' && found.noted && found.work.length === 0;

const ENDINGS = { add: 'is added', change: 'changes', delete: 'is deleted', keep: 'stays' } as const;

/** Objects that a preview names; of others it says the number. */
const MOST_NAMED = 20;

/** Lines of all objects together that a preview shows. */
const MOST_LINES = 1000;

function nameWork({ title, action, why, refused }: Work): string {
  if (refused) return `${title} cannot be changed now: ${why}`;
  return `${title} ${ENDINGS[action]}${why === undefined ? '' : `: ${why}`}`;
}

/** Effect of the step that changes the objects, for previews. */
export function explainWork(found: FoundCluster): StepEffect | undefined {
  if (found.state === 'absent') return undefined;
  if (found.state !== 'seen') return { change: 'change', attributes: [found.why] };
  const named = found.work.slice(0, MOST_NAMED).map(nameWork);
  const more = found.work.length - named.length;
  const diffs = found.work.flatMap(({ title, diff }) => (diff ? [{ title, ...diff }] : []));
  const lines = diffs.flatMap(({ title, lines }) => [`@@ ${title} @@`, ...lines]);
  const left = diffs.reduce((sum, { more }) => sum + more, 0) + Math.max(0, lines.length - MOST_LINES);
  const sum = (of: 'added' | 'removed') => diffs.reduce((all, one) => all + one[of], 0);
  const actions = new Set(found.work.map(({ action }) => action));
  return {
    change: actions.size === 1 && actions.has('add') ? 'add' : actions.size === 1 && actions.has('delete') ? 'remove' : 'change',
    attributes: more > 0 ? [...named, `${more} more`] : named,
    diff: { lines: lines.slice(0, MOST_LINES), added: sum('added'), removed: sum('removed'), ...(left > 0 && { more: left }) },
  };
}
