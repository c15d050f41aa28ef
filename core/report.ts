/** Progress of long set-up work, for a person to watch: `task` names a line of its own, `text` is what it does now. */
export interface ProgressReport {
  task: string;
  text: string;
  /** From 0 to 1, if it is known. */
  fraction?: number;
  state: 'running' | 'done' | 'failed' | 'skipped';
}
export type Reporter = (report: ProgressReport) => void;
