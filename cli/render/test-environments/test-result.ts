import type { TestResult } from '../../../core/environment/test-result.js';

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
