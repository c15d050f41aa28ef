import type { PlannedStep } from './operation.js';

/**
 * Events that an operation's history may have. At 51,200 Temporal's server terminates a workflow, and nothing is
 * rolled back; the rest is for questions, pauses and attempts with other input.
 */
export const MOST_EVENTS = 46_000;

/** Events of a history: measured by bench/large with 2,000 servers, and with 500 servers of two services each. */
const OF_A_MACHINE = 13;
const OF_A_SERVICE = 16;
/** Of rolling one thing back: an activity, what the infra is told of it, and the turn of the workflow between. */
const OF_A_ROLLBACK = 9;
/** Admission, networks, the looks at the providers, the end. */
const OF_ALL = 200;
/** What is only looked at. */
const OF_A_LOOK = 3;

/**
 * How many events the history of an operation with this plan will have, about.
 *
 * @param looked servers that are looked at
 * @param rollsBack whether what it did may have to be rolled back: what is done on a new machine goes with that
 */
export function eventsOf(plan: readonly PlannedStep[], looked: number, rollsBack: boolean): number {
  const machines = new Set(plan.flatMap(({ on, machine }) => (machine ? [on] : [])));
  const created = new Set(plan.flatMap(({ on, machine }) => (machine === 'create' ? [on] : [])));
  const services = new Map(plan.flatMap(({ on, taskserv }) => (taskserv ? [[`${on}/${taskserv}`, on] as const] : [])));
  const onOld = [...services.values()].filter((on) => !created.has(on)).length;
  const back = rollsBack ? OF_A_ROLLBACK * (machines.size + onOld) : 0;
  return OF_ALL + OF_A_LOOK * looked + OF_A_MACHINE * machines.size + OF_A_SERVICE * services.size + back;
}
