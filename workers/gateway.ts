import { chmod, lchown, lstat, rm, stat } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Dispatcher } from '../app/dispatcher.js';
import { lineReader, type SocketReply } from '../client/socket/socket-protocol.js';
import { diffValues } from '../core/encoding/difference.js';
import { type ErrorDetails, inputError, messageOf, ProvisioningError } from '../core/errors.js';
import { checkPrivate, makePrivate } from '../home/private-folder.js';

export interface GatewayLimits {
  /** Maximum length of a call, in characters. Default 64 Mi. */
  line: number;
  /** Maximum size of answers that a caller has not read yet, in bytes. Default 256 Mi. */
  unread: number;
}

const LIMITS: GatewayLimits = { line: 64 * 1024 * 1024, unread: 256 * 1024 * 1024 };
const CONNECTIONS = 1_000;

interface GatewayOptions {
  limits?: GatewayLimits;
  onWarm?: () => void;
  isShared?: boolean;
}

export interface Gateway {
  close(): Promise<void>;
}

/**
 * Serves the methods of the platform to this machine's front doors. The socket is in a folder that only its owner may
 * enter, so every caller is that user, whatever the call contains.
 *
 * @param options `onWarm` is called when a command is run. `isShared`: the folder exists, and its group may open the
 * socket
 * @throws inputError `folder-not-private`
 */
export async function serveGateway(
  path: string,
  methods: Dispatcher,
  { limits = LIMITS, onWarm = () => {}, isShared = false }: GatewayOptions = {},
): Promise<Gateway> {
  if (isShared) await checkPrivate(dirname(path));
  else await makePrivate(dirname(path));
  // Another kind of file there is an error of `listen`.
  if (await isSocket(path)) await rm(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    const streams = new Map<number, AbortController>();
    socket
      .on('error', () => {})
      .on('close', () => {
        open.delete(socket);
        for (const stream of streams.values()) stream.abort();
      });
    socket.setEncoding('utf8');
    const refuse = (error: unknown) => void socket.end(`${JSON.stringify({ id: 0, error: detailsOf(error) })}\n`);
    const read = lineReader(
      (line) => void answer(socket, { methods, limits, streams, onWarm, refuse }, line),
      () => refuse(badLine(`it is longer than ${limits.line} characters`)),
      limits.line,
    );
    socket.on('data', read as (chunk: Buffer | string) => void);
  });
  server.maxConnections = CONNECTIONS;
  const mask = process.umask(0o077);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve)).finally(() =>
    process.umask(mask),
  );
  if (isShared) await openToGroup(path);
  // A connection that cannot be taken (no file descriptor is left) is an error of the server, and no end of it.
  server.on('error', (error) => console.error(`the socket of the worker: ${messageOf(error)}`));
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.end();
      }),
  };
}

const isSocket = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSocket(),
    () => false,
  );

/** Lets only the group of its folder open a socket. */
async function openToGroup(path: string): Promise<void> {
  await lchown(path, process.getuid?.() ?? -1, (await stat(dirname(path))).gid);
  await chmod(path, 0o660);
}

/** @throws inputError `bad-call` for a line that is not a call */
function requestIn(line: string): { id: number; method: unknown; input: unknown; changes: boolean } {
  const read = parse(line) as { id?: unknown; method?: unknown; input?: unknown; changes?: unknown } | null;
  if (typeof read !== 'object' || read === null || !Number.isSafeInteger(read.id)) throw badLine('it is not a call');
  return { id: read.id as number, method: read.method, input: read.input, changes: read.changes === true };
}

function parse(line: string): unknown {
  try {
    // A key of this name would become the prototype of whatever it is copied into.
    return JSON.parse(line, (key, value) => {
      if (key === '__proto__') throw badLine('it has a key "__proto__"');
      return value;
    });
  } catch (error) {
    throw error instanceof ProvisioningError ? error : badLine('it is no JSON');
  }
}

const badLine = (why: string) => inputError({ code: 'bad-call', what: 'read the call', why });

interface Answering {
  methods: Dispatcher;
  limits: GatewayLimits;
  /** Ends the streams of this connection, by the ids of their calls. */
  streams: Map<number, AbortController>;
  onWarm(): void;
  refuse(error: unknown): void;
}

async function answer(socket: Socket, { methods, limits, streams, onWarm, refuse }: Answering, line: string): Promise<void> {
  let id: number;
  let asked: ReturnType<typeof requestIn>;
  try {
    asked = requestIn(line);
    id = asked.id;
  } catch (error) {
    return refuse(error);
  }
  const say = (reply: SocketReply) => {
    if (socket.destroyed) return;
    socket.write(`${JSON.stringify(reply)}\n`);
    // Answers for a caller that does not read are not kept in memory.
    if (socket.writableLength > limits.unread) socket.destroy();
  };
  try {
    if (asked.method === 'leave') return streams.get(id)?.abort();
    if (asked.method === 'warm') onWarm();
    if (asked.method === 'hello' || asked.method === 'warm') return say({ id, result: null });
    const { method, input } = asked as { method: string; input: unknown };
    // JSON has no undefined: an absent answer is sent as null.
    if (methods.kindOf(method) === 'call') return say({ id, result: (await methods.call(method, input)) ?? null });
    await follow(socket, { methods, streams, say }, { ...asked, method });
  } catch (error) {
    say({ id, error: detailsOf(error, String(asked.method)) });
  }
}

/** Passes the events of a stream on, until it ends or its caller leaves. @throws inputError `bad-call` for an id in use */
async function follow(
  socket: Socket,
  { methods, streams, say }: Pick<Answering, 'methods' | 'streams'> & { say(reply: SocketReply): void },
  { id, method, input, changes }: ReturnType<typeof requestIn> & { method: string },
): Promise<void> {
  if (streams.has(id)) throw badLine('a stream of this id is open');
  const stop = new AbortController();
  streams.set(id, stop);
  try {
    let last: unknown;
    for await (const event of methods.stream(method, input, { signal: stop.signal })) {
      // Some methods ignore their signal while they have events.
      if (stop.signal.aborted) break;
      const changed = changes && last !== undefined ? diffValues(last, event) : undefined;
      say(changed ? { id, changed } : { id, event });
      last = event;
      await taken(socket);
    }
    say({ id, result: null });
  } finally {
    streams.delete(id);
  }
}

/**
 * Waits until the caller reads. Events that arrive faster are not buffered for it: its stream decides how to continue.
 */
const taken = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (!socket.writableNeedDrain || socket.destroyed) return resolve();
    const settle = () => {
      socket.off('drain', settle).off('close', settle);
      resolve();
    };
    socket.on('drain', settle).on('close', settle);
  });

const detailsOf = (error: unknown, on = ''): ErrorDetails =>
  error instanceof ProvisioningError
    ? error.details
    : { code: 'unexpected', blame: 'bug', what: 'answer a call', on, why: messageOf(error) };
