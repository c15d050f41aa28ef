import type { Client } from '../../client/client.js';
import { checkBatch, checkDefinition, checkRequest } from '../../core/definition/weight.js';
import { LIMITS } from '../../core/limits.js';

/** Calls that carry more than a request, and how much, in bytes. */
const MORE: Readonly<Record<string, number>> = { submitBatch: LIMITS.batch };

/**
 * A client that takes no more than Temporal can carry through all that may follow: what is too large
 * is refused before it is submitted, whoever asks, a command, a program or a front door by the socket.
 */
export function bounded(client: Client): Client {
  const calls = Object.entries(client).map(([name, call]: [string, (...args: unknown[]) => unknown]) => [
    name,
    name === 'follow' || name === 'close' ? call : checked(name, call),
  ]);
  return Object.fromEntries(calls) as Client;
}

function checked(name: string, call: (...args: unknown[]) => unknown) {
  return async (...args: unknown[]): Promise<unknown> => {
    const [what, on] = [WHAT[name] ?? 'take the request', subjectOf(args[0])];
    checkRequest(args, what, on, MORE[name]);
    if (name === 'submitBatch') checkBatch(args[0] ?? {}, what, on);
    else for (const definition of definitionsIn(args)) checkDefinition(definition, what, on);
    return call(...args);
  };
}

const WHAT: Readonly<Record<string, string>> = { submit: 'submit the operation', submitBatch: 'submit the batch' };

/** The definitions of an operation: its own, or the one that a person corrects it by. */
const definitionsIn = (args: unknown[]): unknown[] =>
  args.flatMap((arg) => (arg as { definition?: unknown } | null | undefined)?.definition ?? []);

/** What a request is about, for an error: its id, or the infra. */
function subjectOf(first: unknown): string {
  if (typeof first === 'string') return first.slice(0, 80);
  const { id, infra } = (first ?? {}) as { id?: unknown; infra?: unknown };
  return [id, infra].find((one) => typeof one === 'string')?.slice(0, 80) ?? '';
}
