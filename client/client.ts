import type { MethodCalls } from '../app/method-calls.generated.js';
import { LISTS, METHOD_NAMES } from '../app/method-names.generated.js';
import { allPages } from './all-pages.js';

/**
 * Client of the platform, with one function for each method. All front doors use it. Each function throws
 * ProvisioningError: `engine-not-running`, `engine-not-answering` or `no-worker` (transient) if the platform does not
 * answer, and the codes of its method.
 */
export interface Client extends MethodCalls {
  /** Releases connections; the client cannot be used after. */
  close(): Promise<void>;
}

/** Transport of calls to the process that runs their methods. */
export interface Carrier {
  call(method: string, input: unknown): Promise<unknown>;
  stream(method: string, input: unknown, options: { signal?: AbortSignal }): AsyncIterable<unknown>;
  close(): Promise<void>;
}

/** Creates the client whose calls use this carrier. */
export function clientOver(carrier: Carrier): Client {
  const client: Record<string, unknown> = { close: () => carrier.close() };
  for (const [name, kind] of Object.entries(METHOD_NAMES)) {
    const [group = '', verb = ''] = name.split('.');
    client[group] ??= {};
    const pages = LISTS[name];
    (client[group] as Record<string, unknown>)[verb] = pages
      ? (input: unknown) => allPages((page) => carrier.call(name, page), input, pages)
      : kind === 'call'
        ? (input: unknown) => carrier.call(name, input)
        : (input: unknown, options: { signal?: AbortSignal } = {}) => carrier.stream(name, input, options);
  }
  return client as unknown as Client;
}
