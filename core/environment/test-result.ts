/** Result of one check of a test environment. */
export interface TestResult {
  /** The check: `install`, `health`, `unchanged` (a second run has nothing to do), or a script. */
  kind: 'install' | 'health' | 'unchanged' | 'script';
  name: string;
  server: string;
  /** `error`: it could not be tried. */
  status: 'passed' | 'failed' | 'error' | 'skipped';
  seconds: number;
  /** Why it did not pass. */
  why?: string;
  /** Exit code of a script. */
  exit?: number;
  /** Output of a script. */
  output?: string;
}
