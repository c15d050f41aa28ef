import type { ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;

/** gRPC's code for a call that this side canceled: the SDK does not retry it. */
const CANCELLED = 1;

/**
 * Ends a call on a connection that was closed. gRPC itself throws. The SDK retries a call by a
 * timer and does not catch that, so the process would end. This interceptor must be the innermost.
 */
export const endWithConnection: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call;
  } catch (error) {
    const details = `the connection was closed: ${(error as Error).message}`;
    const ended: Pick<Call, 'start' | 'sendMessage' | 'halfClose' | 'cancelWithStatus' | 'getPeer'> = {
      start(metadata, listener) {
        listener?.onReceiveMessage?.(null);
        listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata });
      },
      sendMessage() {},
      halfClose() {},
      cancelWithStatus() {},
      getPeer: () => 'closed',
    };
    return ended as Call;
  }
};
