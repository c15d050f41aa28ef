import type { Endpoint, HealthCheck } from '../taskserv/taskserv.js';
import type { Facts, FoundFacts } from './facts.js';
import type { RanCommand } from './ran-command.js';
import type { Step } from './step.js';

/** Questions to a host about one unit. */
export interface Question<F extends Facts = Facts> {
  /** By what it goes in results, journals and errors: the name of a taskserv, or of a built-in unit. */
  unit: string;
  facts: F;
  /** How to tell that it works, and what it listens on. Absent where nothing of it runs. */
  health?: { checks: HealthCheck[]; endpoints: readonly Endpoint[] };
  /** Configuration with the references to secrets that facts and checks use. */
  config?: unknown;
}

/** Answers of a host about one unit. */
export interface Answer<F extends Facts = Facts> {
  found: FoundFacts<F>;
  /** The commands of the definition that were run to see how it is. */
  ran?: RanCommand[];
  /** Why it is not healthy; absent where it is, and where nothing was asked. */
  why?: string;
  /** Returns the pending steps among those that were planned from the facts. */
  toDo(planned: Step[]): Step[];
  /** The same of steps that take the unit away. */
  toRemove(planned: Step[]): Step[];
  /**
   * Returns the installed version, if any.
   *
   * @param read reads it from the facts
   * @param wanted version that the steps install, for hosts that know only what they were given
   * @param missing pending steps
   */
  installed(read: (found: FoundFacts<F>) => string | undefined, wanted: string, missing: readonly Step[]): string | undefined;
}
