import type { TestEngine } from '../support/engine.js';
import type { Stage } from './stage.js';

/** One kind of fault: its injection, and the checks after it. */
export interface Fault {
  name: string;
  /** One line for the legend of the table. */
  about: string;
  on: 'demo' | 'hosts';
  /** Infra of its hosts, which its rounds share. Default: that of the other faults on hosts. */
  infra?: string;
  /** Starts a separate engine for the rounds of this fault. Without it, the rounds use a shared engine. */
  engine?(): Promise<TestEngine>;
  /** Returns the reason why the fault cannot be played here. Undefined if it can. */
  whyNot?(): string | undefined;
  /** The fault takes so long that only `npm run chaos` plays it. */
  long?: true;
  /** Injects the fault once. Findings go to the stage. An exception is a finding too. */
  round(stage: Stage): Promise<void>;
}
