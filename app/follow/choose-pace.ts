import type { Call } from '../method.js';
import type { Pace } from './poll-loop.js';

/** Between two looks for callers over the network, in milliseconds: many of them follow the same, and no person waits beside them. */
const SERVED_MS = 1_000;

/**
 * How often a subject is looked at for a caller. A server of the API looks once a second at most, however many follow it, and
 * first at the next moment of all.
 */
export const choosePace = ({ door }: Pick<Call, 'door'>, pace: Pace): Pace =>
  door?.kind === 'https' ? { firstMs: 0, everyMs: Math.max(pace.everyMs, SERVED_MS), together: true } : pace;
