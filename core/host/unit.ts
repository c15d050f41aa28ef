import type { HostContext, PlanContext } from '../taskserv/taskserv.js';
import type { PackageChange } from './archive.js';
import type { Facts, FoundFacts } from './facts.js';
import type { Answer, Question } from './question.js';
import type { Step } from './step.js';
import type { StepChange } from './step-change.js';

/**
 * When a unit is worked on: what goes away first, then what the host itself needs, then the
 * services. The steps of an `ahead` unit are done along with those of the first service.
 */
export type Stage = 'remove' | 'prepare' | 'ahead' | 'install';

/** What the steps of a unit are planned from, besides the host's answer. */
export type UnitContext = Omit<PlanContext, 'version'>;

/** What is still to be done for a unit, and how it is now. */
export interface UnitPlan {
  steps: Step[];
  remove?: true;
  /** The version found on the host. */
  installed?: string;
  /** What the host's archive has in place of its package; only where that was asked for. */
  newer?: PackageChange;
  healthy: boolean;
  /** Why it is not healthy. */
  why?: string;
  /** What is known of each step, in the same order; only where that was asked for. */
  changes?: StepChange[];
}

/**
 * Something of a host that is brought to what is wanted: a taskserv, one that goes away, the
 * volumes, the names of other servers. Pure: it asks a question, and plans from the answer.
 */
export interface Unit<F extends Facts = Facts> extends Question<F> {
  stage: Stage;
  /** Throws an input error where it cannot be on such a host. */
  refuse?(host: HostContext): void;
  /** What all units plan from, besides, once this one has its answer. */
  tells?(found: FoundFacts<F>): Pick<PlanContext, 'moved'>;
  /** Undefined where there is nothing to be said. */
  plan(answer: Answer<F>, around: UnitContext): UnitPlan | undefined;
}

/** A unit whose facts are not known here, as a list holds it. */
// biome-ignore lint/suspicious/noExplicitAny: units of one host have facts of many kinds
export type AnyUnit = Unit<any>;
