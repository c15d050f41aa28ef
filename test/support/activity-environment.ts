import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';

/** Milliseconds. The library's default is one second, which a busy machine needs for a script with a single query. */
const PATIENCE = 120_000;

/**
 * Returns an environment in which a test calls an activity, with generous time-outs. No test depends on the speed of
 * the machine.
 */
export const activityEnvironment = (info: Partial<Info> = {}): MockActivityEnvironment =>
  new MockActivityEnvironment({ startToCloseTimeoutMs: PATIENCE, scheduleToCloseTimeoutMs: PATIENCE, ...info });
