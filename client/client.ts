import type { MethodCalls } from '../app/method-calls.generated.js';
import { LISTS, METHOD_NAMES } from '../app/method-names.generated.js';
import { allPages } from './all-pages.js';

/**
 * Everything that can be asked of the platform, one function a method. All front doors go through it.
 * Each throws ProvisioningError: `engine-not-running`, `engine-not-answering` or `no-worker` (transient) where
 * nobody answers, and the codes of its method.
 */
export interface Client extends MethodCalls {
  /** Releases connections; the client cannot be used after. */
  close(): Promise<void>;
}

/** How calls reach whoever runs their methods. */
export interface Carrier {
  call(method: string, input: unknown): Promise<unknown>;
  stream(method: string, input: unknown, options: { signal?: AbortSignal }): AsyncIterable<unknown>;
  close(): Promise<void>;
}

/** The client whose calls go by this carrier. */
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
