import type { TestResult } from '../../../core/environment/test-result.js';

/** Final report of a command that creates or tests a test environment. */
export interface TestReport {
  environment: string;
  type: 'single' | 'server' | 'cluster';
  about: string;
  /** `made`: no tests ran. */
  status: 'passed' | 'failed' | 'made' | 'interrupted';
  /** Operation that created it. */
  operation?: string;
  servers: string[];
  tests: TestResult[];
  seconds: number;
  /** Whether it was removed completely. */
  removed: boolean;
  /** End of the environment's time to live if it stays, as ISO time. */
  expires?: string;
  notes?: string[];
  /** Report file for programs. */
  junit?: string;
}

export const isBad = ({ status }: Pick<TestResult, 'status'>): boolean => status === 'failed' || status === 'error';
