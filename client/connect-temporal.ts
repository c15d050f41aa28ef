import { Connection, type ConnectionOptions } from '@temporalio/client';
import { connectionFault } from './connection-fault.js';

/**
 * Connects to a Temporal service.
 *
 * @throws inputError `temporal-refused`, `temporal-certificate`
 * @throws unreachableError `engine-unreachable`, within some 10 s
 */
export async function connectTemporal(options: ConnectionOptions): Promise<Connection> {
  try {
    return await Connection.connect({ connectTimeout: 5_000, ...options });
  } catch (error) {
    throw await connectionFault(error, options);
  }
}
