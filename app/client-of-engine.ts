import { type Client, clientOver } from './client.js';
import { dispatcherOf } from './dispatch.js';
import type { Call } from './method.js';

/** The client whose methods run in this process. @param close what is left to be released at the end */
export const clientOfEngine = (caller: Call, close: () => Promise<void>): Client => clientOver({ ...dispatcherOf(caller), close });
