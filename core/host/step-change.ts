/**
 * Effect of a step, for its approver: `add`, `change` or `remove` something; `restart` a running service or let it
 * reload its files; `interrupt` one, which then stops serving; `check` only, or start a stopped one.
 */
export type Change = 'add' | 'change' | 'remove' | 'restart' | 'interrupt' | 'check';

/** Changes of a step in a file, line by line, with the names of secrets instead of their values. */
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

/**
 * Effect of a step as its taskserv describes it from the facts, for example on the objects of a cluster. Lines of `diff`
 * as in a file, with `@@` before each object. It has no secret: what may be one is masked on the host.
 */
export type StepEffect = Pick<StepChange, 'change' | 'attributes' | 'diff'>;

/** Details of a step before it runs. */
export interface StepChange {
  change: Change;
  diff?: FileDiff;
  /** Other changes of a file: `mode 0644 becomes 0640`. */
  attributes?: string[];
  /** Digest of the file that it takes the place of, as far as that may be shown. */
  found?: string;
  /** Digest of what it does (core/plan/plan-lines.ts); made where a workflow would take too long over those of thousands. */
  does?: string;
}
