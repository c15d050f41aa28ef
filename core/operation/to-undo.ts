import type { Compensation } from './operation.js';

/** By which operation another was rolled back, and when (ISO time): by itself where it failed. */
export interface RolledBack {
  by: string;
  at: string;
}

/** `apply-1 was rolled back by rollback-2, at 2026-01-01T00:00:00Z` */
export const rolledBackText = (of: string, { by, at }: RolledBack): string =>
  `${of} was rolled back ${by === of ? 'by itself, when it failed' : `by ${by}`}, at ${at.replace(/\.\d+Z$/, 'Z')}`;

/** What a roll-back is asked for, and what is known of the operation. */
interface Asked {
  /** Also what the operation repaired. */
  repairs?: boolean;
  /** The operation was rolled back before, or does so itself. */
  rolledBack?: RolledBack | true;
}

/**
 * Divides what an operation did into what a roll-back of it undoes and what stays: repairs of what had drifted, which
 * were not what the operation was for. One that did nothing but repair was for that. Keeps the order.
 */
export function toUndo(compensations: readonly Compensation[], asked: Asked = {}): { undo: Compensation[]; stay: Compensation[] } {
  if (asked.repairs) return { undo: [...compensations], stay: [] };
  const undo = compensations.filter((one) => !isRepair(one));
  if (undo.length === 0 && !asked.rolledBack) return { undo: [...compensations], stay: [] };
  return { undo, stay: compensations.filter(isRepair) };
}

/** Whether it is nothing but repairs. */
export const isRepair = (one: Compensation): boolean => 'repair' in one && one.repair === true;
