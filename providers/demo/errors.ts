import { inputError, unreachableError } from '../../sdk/index.js';
import type { DemoFailure } from './config.js';

/** Subject of a call, for its error. */
interface About {
  verb: string;
  name: string;
}

/** Creates the error of a call that the settings let fail before its effect; undefined for other failures. */
export function simulateFailure({ error }: DemoFailure, { verb, name }: About): Error | undefined {
  if (error === 'weather')
    return unreachableError({ code: 'demo-weather', what: `call ${verb}`, on: name, why: 'the demo account simulates a failure' });
  if (error === 'user')
    return inputError({ code: 'demo-refused', what: `call ${verb}`, on: name, why: 'the demo account simulates a refusal' });
  return error === 'bug' ? new TypeError('the demo account simulates a bug') : undefined;
}

/** @param retryAfterMs in milliseconds */
export const comeAgain = ({ verb, name }: About, why: string, retryAfterMs: number) =>
  unreachableError({ code: 'rate-limited', what: `call ${verb}`, on: name, why, retryAfterMs });

export const createLostAnswer = ({ verb, name }: About) =>
  unreachableError({
    code: 'demo-lost-answer',
    what: `call ${verb}`,
    on: name,
    why: 'the connection broke before the answer arrived',
  });

export function throwGone(kind: string, name: string): never {
  throw inputError({ code: `${kind}-gone`, what: `use the ${kind}`, on: name, why: 'the demo account no longer has it' });
}
