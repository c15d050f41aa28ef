import type { Scope } from '../../core/machine/call-context.js';
import type { AnyTaskserv, HeldData } from '../../core/taskserv/taskserv.js';
import type { HostOf, HostRef } from '../host/host.js';
import { findTaskserv } from './taskserv-of.js';

/** Data that a service works on, and where it can be looked at. */
export interface HeldDataAt extends HeldData {
  /** Absent where there is no machine yet. */
  at?: Omit<HostRef, 'scope'>;
}

/**
 * Asks the hosts for the identity of data, because the machine does not show that a disk was emptied or that data came
 * from another server. The identity is missing if a host does not answer.
 */
export function createIdentify(hostOf: HostOf) {
  return (scope: Scope, taskservs: Record<string, AnyTaskserv>, data: readonly HeldDataAt[]): Promise<HeldData[]> =>
    Promise.all(
      data.map(async ({ at, ...one }) => {
        const identity = findTaskserv(taskservs, one.taskserv).identity;
        if (!identity || !at) return one;
        const asked = [{ unit: one.taskserv, facts: { identity } }];
        const sight = await hostOf({ ...at, scope })
          .look(asked)
          .catch(() => undefined);
        const found = sight?.answers[0]?.found as { identity?: string } | undefined;
        return found?.identity ? { ...one, identity: found.identity } : one;
      }),
    );
}
