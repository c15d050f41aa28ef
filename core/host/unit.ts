import type { GroupContext } from '../taskserv/groups/group.js';
import type { HostContext, PlanContext } from '../taskserv/taskserv.js';
import type { PackageChange } from './archive.js';
import type { Facts, FoundFacts } from './facts.js';
import type { Answer, Question } from './question.js';
import type { Step } from './step.js';
import type { StepChange, StepEffect } from './step-change.js';

/**
 * When a unit is worked on: what goes away first, then what the host itself needs, then the
 * services. The steps of an `ahead` unit are done along with those of the first service.
 */
export type Stage = 'remove' | 'prepare' | 'ahead' | 'install';

/** Context of a unit's plan, beside the host's answer. */
export type UnitContext = Omit<PlanContext, 'version' | 'group'> & {
  /** The groups that its services belong to, by taskserv. */
  groups?: Readonly<Record<string, GroupContext>>;
};

/** Pending steps of a unit, and its present state. */
export interface UnitPlan {
  steps: Step[];
  remove?: true;
  /** The version found on the host. */
  installed?: string;
  /** Newer package of the host's archive, if it was queried. */
  newer?: PackageChange;
  healthy: boolean;
  /** Why it is not healthy. */
  why?: string;
  /** Changes of each step, in the same order, if they were requested. */
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
  /** Context for the plans of all units, from this unit's answer. */
  tells?(found: FoundFacts<F>): Pick<PlanContext, 'moved'>;
  /** Effect of a step, if only the unit can describe it. */
  explain?(step: Step, found: FoundFacts<F>): StepEffect | undefined;
  /** Undefined where there is nothing to be said. */
  plan(answer: Answer<F>, around: UnitContext): UnitPlan | undefined;
}

/** A unit whose facts are not known here, as a list holds it. */
// biome-ignore lint/suspicious/noExplicitAny: units of one host have facts of many kinds
export type AnyUnit = Unit<any>;
