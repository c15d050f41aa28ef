import type { Quota } from '../../../stores/rows/quotas.js';

/** A quota as callers see it. */
export const describeQuota = ({ tenant: _, setAt, setBy, ...quota }: Quota) => ({ ...quota, set: setAt, by: setBy });
