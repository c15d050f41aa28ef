import type { Finding } from './findings.js';

/** Result of one round. */
export interface RoundResult {
  fault: string;
  round: number;
  /** State of the operations after the fault, before any answer of a person. */
  ended: 'well' | 'waits' | 'badly';
  findings: Finding[];
  /** Moment of the fault in the work, in words. */
  moment: string;
  /** From the fault, and from the start of the restart after it, until the work resumed. */
  secondsFromFault?: number;
  secondsFromRestart?: number;
  tookSeconds: number;
}
