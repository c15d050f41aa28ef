import type { EnvironmentEnd } from '../../core/environment/test-environment.js';
import type { CallRecords } from '../record-calls.js';

/**
 * Creates a function that records the removal of a test environment that has no call: its time was over, or its
 * timer was canceled at Temporal.
 *
 * @param note records an event, and throws the errors of the store
 */
export const recordEnvironmentEnds =
  (note: CallRecords['note']) =>
  ({ workspace, infra, actor, operation, reason }: EnvironmentEnd): Promise<void> =>
    note({
      ...{ class: 'changes', method: 'test-environment.expire', door: 'platform', outcome: 'done' },
      ...{ actor, reason, operation, resource: `Infra ${workspace}/${infra}` },
    });
