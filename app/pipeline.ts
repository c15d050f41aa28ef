import { checkRequest } from '../core/definition/weight.js';
import { bugError, inputError } from '../core/errors.js';
import { hideResource } from './access/hide-resource.js';
import { checkCondition } from './conditions/check-condition.js';
import { locate } from './locate.js';
import type { AnyMethod, CallMethod, Passage } from './method.js';
import type { Resource } from './principal.js';
import { enterTenant } from './tenant/enter-tenant.js';

/** Names the cause of a call that this side does not understand. */
export const OTHER_VERSION = 'the command and the worker may be of different versions: run `provisioning up`';

export type PipelineStep = (passage: Passage) => void | Promise<void>;

/** @throws inputError `too-large` */
export const weigh: PipelineStep = ({ method, input }) =>
  method.weigh ? method.weigh(input) : checkRequest(input, 'take the request', method.name);

/** @throws inputError `bad-request` */
export const parse: PipelineStep = ({ method, input }) => {
  const { error } = method.input.safeParse(input);
  if (!error) return;
  const [issue] = error.issues;
  const at = issue?.path.map(String).join('.');
  const why = [at, issue?.message].filter(Boolean).join(': ');
  // People write names; programs write all other fields.
  const hint = issue?.code === 'invalid_format' ? {} : { hint: OTHER_VERSION };
  throw inputError({ code: 'bad-request', what: 'read the request', on: method.name, why, ...hint });
};

/** Finds the action and the resource of a call. The resources of an owner are not located, since that takes a query. */
export const locateResource: PipelineStep = async (passage) => {
  const { caller, method, input } = passage;
  const { action, resource } = method.permission;
  passage.action = typeof action === 'string' ? action : action(input);
  const named: Resource = resource(input);
  passage.located = caller.principal.owner ? { ...named, tenant: '' } : await locate(caller.engine, named, caller.principal);
};

/**
 * Refuses calls without permission. A caller that may not even read the resource gets an error that it is unknown.
 *
 * @throws inputError `forbidden`, or a code of `HIDDEN_ERRORS`
 */
export const authorize: PipelineStep = async (passage) => {
  const { caller, method, action, located } = passage;
  const { principal } = caller;
  if (await principal.may(action, located)) return;
  const why = `${principal.actor} may not do "${action}"`;
  const what = `call ${method.name}`;
  passage.denied = inputError({ code: 'forbidden', what, on: `${located.type} ${located.id}`, why });
  throw (!principal.owner && (await hideResource(caller, located, what))) || passage.denied;
};

/** Answers a call that came before under the same key. It is not counted then, and does not run. */
export const repeat: PipelineStep = (passage) => passage.caller.repeat?.(passage);

/** Refuses changes in a frozen place. */
export const freeze: PipelineStep = (passage) => {
  if (!passage.answers) return passage.caller.refuseFrozen?.(passage);
};

/** Counts the call against the quota of its tenant. */
export const quota: PipelineStep = (passage) => {
  if (!passage.answers) return passage.caller.quota?.(passage);
};

/** Lets a change run only if its resource has a version that the caller expects. */
export const condition: PipelineStep = (passage) => {
  if (!passage.answers) return checkCondition(passage);
};

/** Records the call before it runs, and its outcome. */
export const audit: PipelineStep = async (passage) => {
  const ended = await passage.caller.audit?.(passage);
  if (ended) passage.ended = ended;
};

export const run: PipelineStep = (passage) => {
  const { caller, method, input, signal, seed, located } = passage;
  const answer = async () => {
    passage.answer = await (method as CallMethod).run(caller, input, { ...(signal && { signal }), seed, located });
    return passage.answer;
  };
  passage.answers ??= method.kind === 'call' ? once(answer) : method.run(caller, input, { signal });
};

/** Validates each answer by its schema if the caller requires it. */
export const check: PipelineStep = (passage) => {
  if (passage.caller.checksAnswers) passage.answers = checked(passage.answers, passage.method);
};

/** Stores the answer for a second call with the same key. */
export const keep: PipelineStep = (passage) => {
  if (passage.keep) passage.answers = passage.keep(passage.answers);
};

/** Steps of every call, in order. */
export const PIPELINE: readonly PipelineStep[] = [
  ...[weigh, parse, enterTenant, locateResource, authorize, repeat, freeze, quota, condition, audit],
  ...[run, check, keep],
];

/** The answers to a call. */
export async function* passThrough(
  asked: Pick<Passage, 'caller' | 'method' | 'input' | 'signal' | 'key' | 'expected' | 'onVersion'>,
  steps: readonly PipelineStep[] = PIPELINE,
): AsyncGenerator<unknown> {
  const passage = { ...asked } as Passage;
  let failure: { error: unknown } | undefined;
  try {
    for (const step of steps) await step(passage);
    yield* passage.answers;
  } catch (error) {
    failure = { error };
    // A claim that stays is released later, and a key expires automatically.
    await passage.giveBack?.(error).catch(() => {});
    await passage.release?.(error).catch(() => {});
    // The audit step was not reached: the call was refused.
    if (!passage.ended) await passage.caller.refused?.(passage, passage.denied ?? error);
    throw error;
  } finally {
    // A lock that stays expires automatically.
    await passage.letGo?.().catch(() => {});
    // The audit does not know an outcome whose record failed. The call has its effect anyway.
    await passage.ended?.(failure?.error).catch(() => {});
  }
}

async function* once(answer: () => Promise<unknown>): AsyncGenerator<unknown> {
  yield await answer();
}

/** @throws bugError `bad-answer` */
async function* checked(answers: AsyncIterable<unknown>, { name, output }: AnyMethod): AsyncGenerator<unknown> {
  for await (const answer of answers) {
    const { error } = output.safeParse(answer);
    if (error) {
      const why = error.message.replace(/\s+/g, ' ').slice(0, 400);
      throw bugError({ code: 'bad-answer', what: 'answer the call', on: name, why });
    }
    yield answer;
  }
}
