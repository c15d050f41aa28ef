import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Scope } from '../core/machine/call-context.js';
import { infraMask } from '../secrets/masking/infra-mask.js';
import type { Dependencies } from './dependencies.js';

type Hide = (text: string) => string;

/** Answers what hides the secrets of the infra that an activity is for; undefined where it is for none. */
export type MaskOf = (args: readonly unknown[]) => Promise<Hide | undefined>;

/** Hides the secrets of an infra, in what an activity answers about its hosts. */
export const hideFor = async (dependencies: Pick<Dependencies, 'secrets' | 'providers' | 'env'>, scope: Scope): Promise<Hide> =>
  (await infraMask(dependencies, scope, Context.current().info.workflowExecution?.workflowId ?? '')).hide;

/** The same for errors, by the `scope` of the activity's input. A failing mask must not hide the error. */
export const maskOfArguments =
  (dependencies: Pick<Dependencies, 'secrets' | 'providers' | 'env'>): MaskOf =>
  async ([input]) => {
    const { scope } = (input ?? {}) as { scope?: Scope };
    if (!scope?.workspace || !scope.infra) return undefined;
    return hideFor(dependencies, scope).catch(() => undefined);
  };

/** A copy of JSON with its texts masked. */
export function hideInValue<T>(value: T, hide: Hide): T {
  if (typeof value === 'string') return hide(value) as T;
  if (Array.isArray(value)) return value.map((one) => hideInValue(one, hide)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hideInValue(one, hide)])) as T;
}

/** A failure with its texts masked, and those of its causes: modules put what they read of a host into errors. */
export function hideInFailure(failure: ApplicationFailure, hide: Hide | undefined): ApplicationFailure {
  if (!hide) return failure;
  const { message, type, nonRetryable, details, nextRetryDelay, cause } = failure;
  return ApplicationFailure.create({
    ...{ message: hide(message), nextRetryDelay },
    ...(type && { type }),
    nonRetryable: nonRetryable === true,
    ...(details && { details: hideInValue(details, hide) }),
    ...(cause && { cause: hiddenCause(cause, hide) }),
  });
}

function hiddenCause(error: Error, hide: Hide): Error {
  const masked = new Error(hide(error.message), error.cause instanceof Error ? { cause: hiddenCause(error.cause, hide) } : {});
  masked.name = error.name;
  masked.stack = error.stack && hide(error.stack);
  return masked;
}
