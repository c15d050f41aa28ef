import type { Rows } from '../../stores/rows.js';
import type { Call } from '../method.js';
import { repeatCalls } from './repeat-calls.js';

/** Keys of calls, for every door to the platform. */
export const limitCalls = ({ rows }: { rows(): Promise<Rows> }): Pick<Call, 'repeat'> => ({ repeat: repeatCalls(rows) });
