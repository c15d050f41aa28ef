/** What became of one thing that a test environment was tried by. */
export interface TestResult {
  /** What was tried: `install`, `health`, that a second run has nothing to do (`unchanged`), or a script. */
  kind: 'install' | 'health' | 'unchanged' | 'script';
  name: string;
  server: string;
  /** `error`: it could not be tried. */
  status: 'passed' | 'failed' | 'error' | 'skipped';
  seconds: number;
  /** Why it did not pass. */
  why?: string;
  /** What a script ended with. */
  exit?: number;
  /** What it printed. */
  output?: string;
}
