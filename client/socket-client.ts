import { connect, type Socket } from 'node:net';
import { ProvisioningError, unreachableError } from '../core/errors.js';
import type { Client, OperationEvent } from './client.js';
import { lineReader, type SocketReply, type SocketRequest } from './socket-protocol.js';

const METHODS = [
  'submit',
  'result',
  'progress',
  'cancel',
  'force',
  'pause',
  'resume',
  'approve',
  'decide',
  'request',
  'list',
  'infras',
  'inventory',
  'locks',
  'logs',
  'publicKey',
  'pinHostKey',
  'forgetHostKey',
  'orphans',
  'askProvider',
  'refresh',
  'importServer',
  'submitBatch',
  'batch',
  'batchRows',
  'batches',
  'approveBatch',
  'decideBatch',
  'cancelBatch',
  'rollbackBatch',
  'batchResult',
] as const;

/**
 * The client through the worker of this home: the worker keeps the connection to
 * Temporal, so that a command need not load and open one (about 0.3 s).
 */
export async function socketClient(path: string): Promise<Client> {
  const socket = await open(path);
  const calls = new Map<number, (reply: SocketReply | undefined) => void>();
  let next = 1;
  socket.setEncoding('utf8');
  socket.on(
    'data',
    lineReader((line) => {
      const reply = JSON.parse(line) as SocketReply;
      calls.get(reply.id)?.(reply);
    }) as (chunk: Buffer | string) => void,
  );
  socket.on('close', () => {
    for (const settle of calls.values()) settle(undefined);
    calls.clear();
  });

  function send(method: SocketRequest['method'], args: unknown[], onReply: (reply: SocketReply | undefined) => void): number {
    const id = next++;
    calls.set(id, onReply);
    // Not before the caller knows the id of its call.
    if (socket.destroyed) queueMicrotask(() => onReply(undefined));
    else socket.write(`${JSON.stringify({ id, method, args } satisfies SocketRequest)}\n`);
    return id;
  }

  const call = (method: SocketRequest['method'], args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      const id = send(method, args, (reply) => {
        calls.delete(id);
        if (reply && 'result' in reply) resolve(reply.result ?? undefined);
        else reject(reply && 'error' in reply ? new ProvisioningError(reply.error) : connectionLost());
      });
    });

  async function* follow(operation: string, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<OperationEvent> {
    const queue: (SocketReply | undefined)[] = [];
    let wake = () => {};
    const id = send('follow', [operation], (reply) => {
      queue.push(reply);
      wake();
    });
    const stop = () => wake();
    signal?.addEventListener('abort', stop);
    try {
      for (;;) {
        while (queue.length === 0 && !signal?.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        if (signal?.aborted) return;
        const reply = queue.shift();
        if (!reply) throw connectionLost();
        if ('error' in reply) throw new ProvisioningError(reply.error);
        if ('result' in reply) return;
        yield reply.event as OperationEvent;
      }
    } finally {
      calls.delete(id);
      signal?.removeEventListener('abort', stop);
    }
  }

  const methods = Object.fromEntries(METHODS.map((method) => [method, (...args: unknown[]) => call(method, args)]));
  return { ...methods, follow, close: async () => void socket.destroy() } as unknown as Client;
}

const connectionLost = () =>
  unreachableError({
    code: 'engine-not-answering',
    what: 'ask the worker',
    why: 'it closed the connection',
    hint: 'provisioning status; operations go on as soon as a worker runs',
  });

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket)).once('error', reject);
  });
}
