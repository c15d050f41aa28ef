import { Connection, type ConnectionOptions, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { endWithConnection } from './closed-connection.js';
import { connectionFault } from './connection-fault.js';

/**
 * Limits of gRPC's pause between reconnects. By default it grows to two minutes, and all connections of a process to
 * one address share it. A recovered service would stay unnoticed.
 */
const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 };

/**
 * Connects to a Temporal service. A lost connection is retried every two seconds.
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
    // It would retry for as long as the process lives.
    await connection.close();
    throw await connectionFault(error, options);
  }
}
