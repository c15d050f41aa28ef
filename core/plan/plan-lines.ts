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

/** Returns a step without its title, which may depend on the observed state (a service is started or restarted). */
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

/** Identifies a plan: equal plans do the same to the same resources in the same order. */
export const planHash = (lines: readonly PlanLine[]): string => digestValue(lines);

/** Characters of a shown hash. Users may pass the short form. */
export const SHORT_HASH = 16;
