import type { PlannedStep } from './planned-step.js';

/** Lists the resources that a plan destroys, each once. */
export const listDestroyed = (plan: readonly PlannedStep[]): string[] => [
  ...new Set(plan.filter(({ destructive }) => destructive).map(({ on }) => on)),
];
