import { addAbortListener } from 'node:events';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyDifference } from '../../core/encoding/difference.js';
import { messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';
import { checkPrivate, checkUnshared } from '../../home/private-folder.js';
import { type Client, clientOver } from '../client.js';
import { ConnectionLost } from '../connection-lost.js';
import { lineReader, type SocketReply, type SocketRequest } from './socket-protocol.js';

/** How long the first answer is waited for, in milliseconds. */
const HELLO_MS = 1_500;

/**
 * Creates the client that calls the worker of this home. The worker keeps the connection to Temporal, so a command
 * does not have to load and open one (about 0.3 s).
 *
 * @throws inputError `folder-not-private` if another user may have created the socket
 */
export async function socketClient(path: string): Promise<Client> {
  await checkPrivate(dirname(path));
  return clientAt(path);
}

/**
 * The client through the worker of another home, at the socket that `PROVISIONING_SOCKET` names.
 *
 * @throws inputError `folder-not-private` if others than the owner of its folder may have made the socket
 * @throws unreachableError `no-worker`
 */
export async function remoteClient(path: string): Promise<Client> {
  try {
    await checkUnshared(dirname(path));
    return await clientAt(path);
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.blame === 'user') throw error;
    throw unreachableError(
      {
        code: 'no-worker',
        what: 'ask the worker',
        on: path,
        why: `nothing answers at the socket of PROVISIONING_SOCKET: ${messageOf(error)}`,
        hint: 'check the path and your groups; the owner of the home runs `provisioning up`; docs/operate/security.md',
      },
      { cause: error },
    );
  }
}

async function clientAt(path: string): Promise<Client> {
  const socket = await open(path);
  const calls = new Map<number, (reply: SocketReply | undefined) => void>();
  let next = 1;
  socket.setEncoding('utf8');
  const read = lineReader(
    (line) => {
      const reply = replyIn(line);
      // A reply without a call concerns the connection, and therefore all calls.
      if (reply?.id === 0) for (const settle of [...calls.values()]) settle(reply);
      else if (reply) calls.get(reply.id)?.(reply);
      else socket.destroy();
    },
    () => void socket.destroy(),
  );
  socket.on('data', read as (chunk: Buffer | string) => void);
  socket.on('close', () => {
    for (const settle of calls.values()) settle(undefined);
    calls.clear();
  });

  function send(asked: Omit<SocketRequest, 'id'>, onReply: (reply: SocketReply | undefined) => void): number {
    const id = next++;
    calls.set(id, onReply);
    // Not before the caller knows the id of its call.
    if (socket.destroyed) queueMicrotask(() => onReply(undefined));
    else write({ id, ...asked });
    return id;
  }

  const write = (request: SocketRequest) => socket.write(`${JSON.stringify(request)}\n`);

  const call = (method: string, input?: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      const id = send({ method, input }, (reply) => {
        calls.delete(id);
        if (reply && 'result' in reply) resolve(reply.result ?? undefined);
        else reject(reply && 'error' in reply ? new ProvisioningError(reply.error) : connectionLost());
      });
    });

  async function* stream(method: string, input: unknown, { signal }: { signal?: AbortSignal }): AsyncGenerator<unknown> {
    const queue: (SocketReply | undefined)[] = [];
    let event: unknown;
    let isOver = false;
    let wake = () => {};
    const id = send({ method, input, changes: true }, (reply) => {
      queue.push(reply);
      wake();
    });
    const stop = () => wake();
    const listening = signal && addAbortListener(signal, stop);
    try {
      for (;;) {
        while (queue.length === 0 && !signal?.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        if (signal?.aborted) return;
        const reply = queue.shift();
        isOver = !reply || 'error' in reply || 'result' in reply;
        if (!reply) throw connectionLost();
        if ('error' in reply) throw new ProvisioningError(reply.error);
        if ('result' in reply) return;
        event = 'changed' in reply ? applyDifference(event, reply.changed) : reply.event;
        yield event;
      }
    } finally {
      calls.delete(id);
      listening?.[Symbol.dispose]();
      // The connection stays open for other calls, so the worker would continue the stream.
      if (!isOver && !socket.destroyed) write({ id, method: 'leave' });
    }
  }

  await answering(call);
  return clientOver({ call, stream, close: async () => void socket.destroy() });
}

/**
 * Waits until the worker has answered once: one that is being killed still takes connections.
 * A busy one may take longer, and is not taken for dead.
 */
async function answering(call: (method: string) => Promise<unknown>): Promise<void> {
  const answered = call('hello').catch((error: unknown) => {
    // A worker of before this question refuses it.
    if (error instanceof ProvisioningError && error.details.code === LOST) throw error;
  });
  await Promise.race([answered, sleep(HELLO_MS, undefined, { ref: false })]);
  answered.catch(() => {});
}

const LOST = 'engine-not-answering';

/** Parses the reply in a line; undefined if the sender is not a worker of this platform. */
function replyIn(line: string): SocketReply | undefined {
  try {
    return JSON.parse(line) as SocketReply;
  } catch {
    return undefined;
  }
}

const connectionLost = () => new ConnectionLost();

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    // This listener stays: the loss of an open connection is handled by its `close` event.
    socket.once('connect', () => resolve(socket)).on('error', reject);
  });
}
