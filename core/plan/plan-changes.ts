import { canonical } from '../encoding/hash.js';
import type { PlanLine } from './plan-lines.js';

/** In what one line of a plan differs from what is planned now. */
export interface PlanChange extends Pick<PlanLine, 'on' | 'taskserv' | 'title' | 'machine' | 'change' | 'destructive'> {
  /** `new`: planned now, and not in the plan; `gone`: the other way; `different`: it does, or finds, something else. */
  is: 'new' | 'gone' | 'different';
  /** The difference, for a changed line. */
  why?: string;
}

/**
 * Returns the changes between two plans, in the order of the new plan. Removed lines come last. Empty for the same
 * lines in any order.
 */
export function planChanges(planned: readonly PlanLine[], now: readonly PlanLine[]): PlanChange[] {
  const left = new Map<string, PlanLine[]>();
  for (const line of planned) push(left, canonical(line), line);
  const others = now.filter((line) => !take(left, canonical(line)));
  const alike = new Map<string, PlanLine[]>();
  for (const line of [...left.values()].flat()) push(alike, nameOf(line), line);
  const changes = others.map((line): PlanChange => {
    const before = take(alike, nameOf(line));
    return before ? { ...shownOf(line), is: 'different', why: whyDifferent(before, line) } : { ...shownOf(line), is: 'new' };
  });
  return [...changes, ...[...alike.values()].flat().map((line): PlanChange => ({ ...shownOf(line), is: 'gone' }))];
}

/** `2 steps are new, 1 is gone`: how much has changed. */
export function countChanges(changes: readonly PlanChange[]): string {
  if (changes.length === 0) return 'the same steps come in another order';
  const counts = (['new', 'gone', 'different'] as const).flatMap((is) => {
    const count = changes.filter((change) => change.is === is).length;
    return count > 0 ? [{ count, is }] : [];
  });
  return counts
    .map(
      ({ count, is }, index) => `${count}${index > 0 ? '' : count === 1 ? ' step' : ' steps'} ${count === 1 ? 'is' : 'are'} ${is}`,
    )
    .join(', ');
}

function shownOf({ on, taskserv, title, machine, change, destructive }: PlanLine) {
  return {
    ...{ on, title },
    ...(taskserv !== undefined && { taskserv }),
    ...(machine && { machine }),
    ...(change && { change }),
    ...(destructive && { destructive }),
  };
}

const nameOf = ({ on, taskserv = '', title }: PlanLine): string => `${on}\n${taskserv}\n${title}`;

function whyDifferent(before: PlanLine, now: PlanLine): string {
  const differs = (key: keyof PlanLine) => canonical(before[key]) !== canonical(now[key]);
  const reasons = [
    differs('found') || differs('attributes') || differs('change') ? 'what is there has changed' : '',
    differs('does') || differs('wants') || differs('machine') ? 'the steps have changed' : '',
    differs('expected') ? (now.expected ? 'the host is gone' : 'the host is there now') : '',
    differs('repair') ? (now.repair ? 'it is a repair now' : 'it is no longer a repair') : '',
    differs('destructive') ? (now.destructive ? 'it destroys now' : 'it no longer destroys') : '',
  ];
  return reasons.filter(Boolean).join('; ');
}

function push(lines: Map<string, PlanLine[]>, key: string, line: PlanLine): void {
  const known = lines.get(key);
  if (known) known.push(line);
  else lines.set(key, [line]);
}

/** Takes the first of those away. */
function take(lines: Map<string, PlanLine[]>, key: string): PlanLine | undefined {
  const known = lines.get(key);
  const line = known?.shift();
  if (known?.length === 0) lines.delete(key);
  return line;
}
