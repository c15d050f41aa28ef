import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';

/** Milliseconds. The library's own is a second, which a busy machine takes for a script that asks one thing. */
const PATIENCE = 120_000;

/** Where a test calls an activity, with time for it. No test depends on the speed of the machine. */
export const activityEnvironment = (info: Partial<Info> = {}): MockActivityEnvironment =>
  new MockActivityEnvironment({ startToCloseTimeoutMs: PATIENCE, scheduleToCloseTimeoutMs: PATIENCE, ...info });
