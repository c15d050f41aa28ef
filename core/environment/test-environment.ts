import type * as z from 'zod';
import type { testEnvironment, testOwner, testScript } from '../schema/test-environment.js';

export type TestEnvironmentRequest = z.output<typeof testEnvironment>;
export type TestOwner = z.output<typeof testOwner>;
export type TestScript = z.output<typeof testScript>;

/** A test environment, as the workflow that keeps its time answers it. */
export interface TestEnvironment extends Omit<TestEnvironmentRequest, 'ending' | 'ttlMs' | 'former' | 'continueAfter'> {
  /** ISO time. */
  created: string;
  /** When it is removed at the latest (ISO time). */
  expires: string;
  /** Why it is being removed. */
  ending?: string;
  /** Why the last try to remove it failed; it is tried again. */
  failure?: string;
}

/** Why an environment is removed without a request. */
export const END_BY_TIME = 'its time to live was over';
export const END_BY_CANCEL = 'canceled at Temporal';

/** Removal of an environment without a call: it is recorded, because no call is. */
export interface EnvironmentEnd {
  workspace: string;
  infra: string;
  /** Who made the environment. */
  actor: string;
  /** The operation that deletes it. */
  operation: string;
  reason: 'expired' | 'canceled';
}
