/**
 * What a step does to what is there, for people who approve it: `add`, `change` or `remove` something; `restart`
 * a service that runs, or have it read its files again; `interrupt` one: it stops serving; `check` only, or begin
 * what is not running.
 */
export type Change = 'add' | 'change' | 'remove' | 'restart' | 'interrupt' | 'check';

/** What a step changes in a file, line by line, with the names of secrets in place of their values. */
export interface FileDiff {
  /** Lines as of a unified diff, without the head: each begins with a blank, `+`, `-`, or `@@`. */
  lines: string[];
  added: number;
  removed: number;
  /** Lines that are not among them, since there are too many. */
  more?: number;
  /** Removed lines are not shown that may hold a secret: only some users of the host may read the file, or it holds secrets. */
  hidden?: true;
}

/** What is known of a step before it is done. */
export interface StepChange {
  change: Change;
  diff?: FileDiff;
  /** What else of a file changes: `mode 0644 becomes 0640`. */
  attributes?: string[];
  /** Digest of the file that it takes the place of, as far as that may be shown. */
  found?: string;
  /** Digest of what it does (core/plan/plan-lines.ts); made where a workflow would take too long over those of thousands. */
  does?: string;
}
