import type { Rows } from '../../stores/rows.js';
import type { Call } from '../method.js';
import { claimQuotas } from './quota/claim-quota.js';
import { refuseFrozen } from './refuse-frozen.js';
import { repeatCalls } from './repeat-calls.js';

/** Keys of calls, freezes and quotas, for every door to the platform. */
export const limitCalls = ({ rows }: { rows(): Promise<Rows> }): Pick<Call, 'quota' | 'refuseFrozen' | 'repeat'> => ({
  repeat: repeatCalls(rows),
  refuseFrozen: refuseFrozen(rows),
  quota: claimQuotas(rows),
});
