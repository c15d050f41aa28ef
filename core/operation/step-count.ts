import type { OperationStatus } from './operation.js';

/** How many steps an operation took of those that were planned, in words. */
export function stepCount({ status, steps }: { status: OperationStatus; steps: { executed: number; planned: number } }): string {
  const { executed, planned } = steps;
  if (status !== 'done' || executed === planned) return `${executed} of ${planned} steps`;
  // An earlier service may have brought what a service planned for a host that did not exist.
  if (executed < planned) return `${executed} steps, the other ${planned - executed} planned were not needed`;
  return `${executed} steps, ${executed - planned} more than planned`;
}
