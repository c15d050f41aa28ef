import { isIP } from 'node:net';
import type { Connection } from '../../core/machine/provider.js';

/** Address at which others reach a server, or the reason why it is unknown. */
export function serverAddress(connection: Connection): { address: string } | { noAddress: string } {
  if (!('address' in connection)) return { noAddress: 'the platform reaches the server by no address' };
  const { address, jump } = connection;
  if (jump !== undefined) return { noAddress: `the server is reached by way of "${jump}" alone` };
  if (/^(127\.|::1$|localhost$)/.test(address)) return { noAddress: 'the server is reached from this machine alone' };
  return isIP(address) > 0 ? { address } : { noAddress: `the server is reached by the name "${address}"` };
}
