import { Connection, type ConnectionOptions, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { endWithConnection } from './closed-connection.js';
import { connectionFault } from './connection-fault.js';

/**
 * gRPC's own pause before it tries again grows to two minutes, and all connections
 * of a process to one address share it: a service that is back would stay unseen.
 */
const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 };

/**
 * Connects to a Temporal service. A connection that was lost is looked for again
 * every two seconds.
 *
 * @throws inputError `temporal-refused`, `temporal-certificate`
 * @throws unreachableError `engine-unreachable`, within some 10 s
 */
export async function connectTemporal(options: ConnectionOptions): Promise<Connection> {
  const { channelArgs, ...rest } = options;
  const connection = Connection.lazy({
    connectTimeout: 5_000,
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endWithConnection],
    ...rest,
    channelArgs: { ...RECONNECT, ...channelArgs },
  });
  try {
    await connection.ensureConnected();
    return connection;
  } catch (error) {
    // It would go on trying for as long as the process lives.
    await connection.close();
    throw await connectionFault(error, options);
  }
}
