import { checkRequest } from '../core/definition/weight.js';
import { bugError, inputError } from '../core/errors.js';
import type { AnyMethod, Call } from './method.js';
import { METHODS } from './methods.generated.js';

/** Runs methods by their names, for the one principal who calls. */
export interface Dispatcher {
  /** @throws inputError `unknown-call` */
  kindOf(name: unknown): AnyMethod['kind'];
  call(name: string, input: unknown): Promise<unknown>;
  stream(name: string, input: unknown, options: { signal?: AbortSignal }): AsyncIterable<unknown>;
}

const OTHER_VERSION = 'the command and the worker may be of different versions: run `provisioning up`';

/**
 * The one way to a method, whatever the door: what is asked is weighed and validated, who asks is authorized, and
 * then it runs. Calls throw the input errors `unknown-call`, `too-large`, `bad-request`, `forbidden`, and what the
 * method fails with.
 *
 * @param methods by name; tests put others in their place
 */
export function dispatcherOf(caller: Call, methods: Readonly<Record<string, AnyMethod>> = METHODS): Dispatcher {
  // Names that every object has are no methods.
  const named = (name: unknown): AnyMethod => {
    const method = typeof name === 'string' && Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method) return method;
    const why = `there is no method "${String(name).slice(0, 40)}"`;
    throw inputError({ code: 'unknown-call', what: 'answer the call', why, hint: OTHER_VERSION });
  };
  return {
    kindOf: (name) => named(name).kind,
    async call(name, asked) {
      const method = named(name);
      const input = admitted(caller, method, asked);
      if (method.kind === 'call') return answered(caller, method, await method.run(caller, input));
      const why = 'it answers with events, and is to be followed';
      throw inputError({ code: 'bad-call', what: 'answer the call', on: name, why });
    },
    async *stream(name, asked, options) {
      const method = named(name);
      const input = admitted(caller, method, asked);
      if (method.kind === 'call') yield answered(caller, method, await method.run(caller, input));
      else for await (const event of method.run(caller, input, options)) yield answered(caller, method, event);
    },
  };
}

function admitted({ principal }: Call, { name, input, permission, weigh }: AnyMethod, asked: unknown): unknown {
  if (weigh) weigh(asked);
  else checkRequest(asked, 'take the request', name);
  const { error } = input.safeParse(asked);
  if (error) {
    const [issue] = error.issues;
    const at = issue?.path.map(String).join('.');
    const why = [at, issue?.message].filter(Boolean).join(': ');
    throw inputError({ code: 'bad-request', what: 'read the request', on: name, why, hint: OTHER_VERSION });
  }
  const resource = permission.resource(asked);
  // As it was asked: what a schema gives back has its keys in another order, and another text and hash with it.
  if (principal.may(permission.action, resource)) return asked;
  const why = `${principal.actor} may not do "${permission.action}"`;
  throw inputError({ code: 'forbidden', what: `call ${name}`, on: `${resource.type} ${resource.id}`, why });
}

/** The answer as it is. @throws bugError `bad-answer` where answers are checked, and this one is not as its schema says */
function answered({ checksAnswers }: Call, { name, output }: AnyMethod, answer: unknown): unknown {
  const error = checksAnswers ? output.safeParse(answer).error : undefined;
  if (!error) return answer;
  throw bugError({ code: 'bad-answer', what: 'answer the call', on: name, why: error.message.replace(/\s+/g, ' ').slice(0, 400) });
}
