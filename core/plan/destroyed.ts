import type { PlannedStep } from './planned-step.js';

/** What a plan would destroy, each once. */
export const listDestroyed = (plan: readonly PlannedStep[]): string[] => [
  ...new Set(plan.filter(({ destructive }) => destructive).map(({ on }) => on)),
];
