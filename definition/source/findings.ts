import { LIMITS } from '../../core/limits.js';
import type { Path } from './problem.js';
import type { Complaint } from './schema-issues.js';

/** More of one kind are not collected: one cause may be behind all of them. */
const KEPT = 20 * LIMITS.problems;

/** Collects what is wrong, so that all of it is reported at once. */
export class Findings {
  readonly all: Complaint[] = [];
  /** What may be so, and is probably not meant. */
  readonly warnings: Complaint[] = [];

  value(path: Path, message: string, suggestion?: string): void {
    if (this.all.length < KEPT) this.all.push({ path, at: 'value', message, suggestion });
  }

  warning(path: Path, message: string, suggestion?: string): void {
    if (this.warnings.length < KEPT) this.warnings.push({ path, at: 'value', message, suggestion });
  }

  key(path: Path, message: string, suggestion?: string): void {
    if (this.all.length < KEPT) this.all.push({ path, at: 'key', message, suggestion });
  }
}
