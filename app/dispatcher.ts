import { inputError } from '../core/errors.js';
import type { AnyMethod, Call, Passage } from './method.js';
import { OTHER_VERSION, passThrough } from './pipeline.js';
import { leaveTenant } from './tenant/leave-tenant.js';

type CallOptions = Partial<Pick<Passage, 'signal' | 'key' | 'expected' | 'onVersion'>>;

/** Runs methods by their names, for one principal. */
export interface Dispatcher {
  /** @throws inputError `unknown-call` */
  kindOf(name: unknown): AnyMethod['kind'];
  /**
   * @param options `key`: a second call with it is not done again; see app/limits/repeat-calls.ts. `expected`: versions that the
   *   resource must have; see app/conditions/check-condition.ts
   */
  call(name: string, input: unknown, options?: CallOptions): Promise<unknown>;
  stream(name: string, input: unknown, options: { signal?: AbortSignal }): AsyncIterable<unknown>;
}

/**
 * Creates the only way to methods, for every door: each call passes the steps of `PIPELINE`. Calls throw the input
 * errors `unknown-call`, `too-large`, `bad-request`, `forbidden`, and the errors of the method.
 *
 * @param methods by name
 */
export function dispatcherOver(caller: Call, methods: Readonly<Record<string, AnyMethod>>): Dispatcher {
  // Names that every object has are no methods.
  const named = (name: unknown): AnyMethod => {
    const method = typeof name === 'string' && Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method) return method;
    const why = `the platform has no method "${String(name).slice(0, 40)}"`;
    throw inputError({ code: 'unknown-call', what: 'answer the call', why, hint: OTHER_VERSION });
  };
  return {
    kindOf: (name) => named(name).kind,
    async call(name, input, options = {}) {
      const method = named(name);
      if (method.kind === 'stream') {
        const why = 'the method returns events: follow it instead of calling it';
        throw inputError({ code: 'bad-call', what: 'answer the call', on: name, why });
      }
      const answers = passThrough({ caller, method, input, ...options });
      for await (const answer of leaveTenant(answers, caller.principal)) return answer;
      return undefined;
    },
    async *stream(name, input, { signal }) {
      yield* leaveTenant(passThrough({ caller, method: named(name), input, signal }), caller.principal);
    },
  };
}
