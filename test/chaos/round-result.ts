import type { Finding } from './findings.js';

/** What one round showed. */
export interface RoundResult {
  fault: string;
  round: number;
  /** How the operations stood after the fault, before a person answered any. */
  ended: 'well' | 'waits' | 'badly';
  findings: Finding[];
  /** When in the work it happened, in words. */
  moment: string;
  /** From the fault, and from the begin of the restart after it, until the work went on. */
  secondsFromFault?: number;
  secondsFromRestart?: number;
  tookSeconds: number;
}
