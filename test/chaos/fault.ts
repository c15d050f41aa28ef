import type { TestEngine } from '../support/engine.js';
import type { Finding } from './findings.js';
import type { Stage } from './stage.js';

/** One kind of mishap: how it is brought about, and what must hold after it. */
export interface Fault {
  name: string;
  /** One line for the table's legend. */
  about: string;
  on: 'demo' | 'hosts';
  /** Starts an engine of its own for the rounds of this fault; without it they use one that others use as well. */
  engine?(): Promise<TestEngine>;
  /** Why it cannot be played here; undefined where it can. */
  whyNot?(): string | undefined;
  /** Takes so long that only the long form plays it. */
  long?: true;
  /** Brings it about once. What is wrong is told to the stage; what it throws is wrong too. */
  round(stage: Stage): Promise<void>;
}

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
