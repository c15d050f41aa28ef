import type { Path } from './problem.js';
import type { Complaint } from './schema-issues.js';

/** Collects what is wrong, so that all of it is reported at once. */
export class Findings {
  readonly all: Complaint[] = [];

  value(path: Path, message: string, suggestion?: string): void {
    this.all.push({ path, at: 'value', message, suggestion });
  }

  key(path: Path, message: string, suggestion?: string): void {
    this.all.push({ path, at: 'key', message, suggestion });
  }
}
