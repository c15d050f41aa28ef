import { randomUUID } from 'node:crypto';
import type { Freeze } from '../../stores/rows/freezes.js';

const PREFIX = 'undo-import';

/** Returns the id of a freeze for the time in which the import of this export is undone. */
export const createUndoFreezeId = (exported: string): string => `${PREFIX}:${exported}:${randomUUID()}`;

/**
 * Whether a freeze was made to undo an import. A call that is killed leaves it, and the next one ends it.
 *
 * @param exported id of the export; absent: of any export
 */
export const isUndoFreeze = ({ id }: Pick<Freeze, 'id'>, exported?: string): boolean =>
  id.startsWith(exported === undefined ? `${PREFIX}:` : `${PREFIX}:${exported}:`);

/** Whether a call undoes an import, or looks at it before that: it passes the freeze of a call before it. */
export function continuesUndo(method: string, input: unknown): boolean {
  const { undo, check } = (input ?? {}) as { undo?: unknown; check?: unknown };
  // An upload changes nothing, and an import by parts is undone with one.
  if (method === 'workspaces.upload') return true;
  return method === 'workspaces.import' && (undo === true || check === true);
}
