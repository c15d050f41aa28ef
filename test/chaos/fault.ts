import type { TestEngine } from '../support/engine.js';
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
