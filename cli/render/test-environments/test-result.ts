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

/** What a command that made or tried a test environment says at its end. */
export interface TestReport {
  environment: string;
  type: 'single' | 'server' | 'cluster';
  about: string;
  /** `made`: nothing was tried. */
  status: 'passed' | 'failed' | 'made' | 'interrupted';
  /** The operation that made it. */
  operation?: string;
  servers: string[];
  tests: TestResult[];
  seconds: number;
  /** Whether nothing of it is left. */
  removed: boolean;
  /** Where it stays: until when, ISO time. */
  expires?: string;
  notes?: string[];
  /** The file with the same for machines. */
  junit?: string;
}

export const isBad = ({ status }: Pick<TestResult, 'status'>): boolean => status === 'failed' || status === 'error';
