import { type Dispatcher, dispatcherOver } from './dispatcher.js';
import type { AnyMethod, Call } from './method.js';
import { METHODS } from './methods.generated.js';

/**
 * Runs all methods of the platform for one principal.
 *
 * @param methods by name; tests put others in their place
 */
export const createDispatcher = (caller: Call, methods: Readonly<Record<string, AnyMethod>> = METHODS): Dispatcher =>
  dispatcherOver(caller, methods);
