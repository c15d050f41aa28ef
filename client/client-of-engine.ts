import { createDispatcher } from '../app/dispatch.js';
import type { Call } from '../app/method.js';
import { type Client, clientOver } from './client.js';

/** Creates the client whose methods run in this process. @param close releases the remaining resources at the end */
export const clientOfEngine = (caller: Call, close: () => Promise<void>): Client =>
  clientOver({ ...createDispatcher(caller), close });
