import type { Holder, Waiter } from '../../core/operation/operation.js';
import type { Paint } from '../program/screen.js';
import { renderTable } from './inventory.js';

interface Locks {
  holders: Holder[];
  waiters: Waiter[];
}

/** Renders the holders and waiters of locks. Empty if there are no locks. */
export function locksTable({ holders, waiters }: Locks, paint: Paint): string {
  if (holders.length + waiters.length === 0) return '';
  const rows = [
    ...holders.map(({ operation, resources, since, actor }) => [operation, 'holds', resources.join(', '), since, actor]),
    ...waiters.map(({ operation, blockedBy, since, actor }) => {
      const holder = blockedBy.map((block) => `${block.resource} of ${block.operation}`).join(', ');
      return [operation, 'waits', holder, since, actor];
    }),
  ];
  return `\n${renderTable(['OPERATION', '', 'RESOURCES', 'SINCE', 'BY'], rows, '', paint)}`;
}
