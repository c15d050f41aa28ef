import { auditEvents } from './audit-events.js';
import type { AnyCollection } from './collection.js';

/** Every collection of rows. Backups and moves to another store have all of them, in this order. */
export const COLLECTIONS: readonly AnyCollection[] = [auditEvents];
