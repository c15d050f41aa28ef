import type * as z from 'zod';
import { canonical } from '../encoding/hash.js';
import { sha256 } from '../encoding/sha256.js';
import type { Step } from '../host/step.js';
import type { planLine, planned } from '../schema/planned.js';
import type { PlannedStep } from './planned-step.js';

/** One line of a plan as it is held to: what is shown of it, and digests of what is too long to be carried. */
export type PlanLine = z.output<typeof planLine>;

/** The plan that an operation is to carry out, and no other. */
export type PinnedPlan = z.output<typeof planned>;

/** The SHA-256 of a JSON value, whatever the order of its keys. */
export const digestValue = (value: unknown): string => sha256(canonical(value));

/** What a step does, whatever it is called: whether a service is started or restarted follows from what is found. */
export function actionOf({ title: _, ...action }: Step): unknown {
  return action;
}

/** A line without what is only known of it while it is decided. */
export function planLineOf(line: PlannedStep): PlanLine {
  const { on, taskserv, title, machine, destructive, expected, repair, change, attributes, found, wants, step } = line;
  const does = line.does ?? (step && digestValue(actionOf(step)));
  const said = { taskserv, machine, destructive, expected, repair, change, attributes, does, found, wants };
  const known = Object.entries(said).filter(([, value]) => value !== undefined);
  return { on, title, ...Object.fromEntries(known) };
}

/** What tells one plan from another: equal where the same is done in the same order to the same things. */
export const planHash = (lines: readonly PlanLine[]): string => digestValue(lines);

/** As much of a hash as people are shown, in characters; they may give that much in place of it. */
export const SHORT_HASH = 16;
