import { addAbortListener, once, setMaxListeners } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { explainEnd, explainFailure, isRefusal, SWITCHED_OFF } from './ask-servers.js';
import type { OpenHosts, ScriptOptions } from './host-scripts.js';

/** A line of a server, or why no more lines of it come. */
export type ServerLine = { server: string; line: string } | { server: string; problem: string };

/** Characters of a line, at most: a longer one comes in parts. */
const LONGEST_LINE = 64 * 1024;
/** Maximum number of lines that wait for a slow reader, for all servers together. */
const WAITING = 64;

/**
 * Runs a script on servers and yields its lines, until no server is left or the reader leaves. A slow reader slows the
 * scripts down, because only some lines are buffered. The scripts are ended when the reader leaves.
 *
 * @throws `host-managed-by-another` and other refusals of a host
 */
export async function* followServers(
  hosts: OpenHosts,
  servers: readonly InventoryServer[],
  script: string,
  signal?: AbortSignal,
): AsyncGenerator<ServerLine> {
  const left = new AbortController();
  const lines = new PassThrough({ objectMode: true, highWaterMark: WAITING });
  // Each server waits for room by a listener.
  lines.setMaxListeners(0);
  setMaxListeners(0, left.signal);
  const leave = () => {
    left.abort();
    if (!lines.writableEnded && !lines.destroyed) lines.end();
  };
  const put = async (line: ServerLine) => {
    left.signal.throwIfAborted();
    if (!lines.write(line)) await once(lines, 'drain', { signal: left.signal });
  };
  if (signal?.aborted) return;
  const listening = signal && addAbortListener(signal, leave);
  const all = servers.map((server) =>
    followServer(hosts, server, script, { put, signal: left.signal }).catch((error: unknown) => {
      if (!left.signal.aborted) lines.destroy(error as Error);
    }),
  );
  void Promise.all(all).then(leave);
  try {
    yield* lines as AsyncIterable<ServerLine>;
  } finally {
    listening?.[Symbol.dispose]();
    leave();
  }
}

async function followServer(
  hosts: OpenHosts,
  server: InventoryServer,
  script: string,
  { put, signal }: { put(line: ServerLine): Promise<void>; signal: AbortSignal },
): Promise<void> {
  const { name } = server;
  const output = new PassThrough();
  // Written to after its end, if the connection is lost in between.
  output.on('error', () => {});
  // The script reads its end as soon as the connection ends.
  const input = new PassThrough();
  const ended = explainRun(hosts, server, script, { signal, output, input }).finally(() => {
    output.end();
    input.destroy();
  });
  // A refusal is known before the lines are read.
  ended.catch(() => {});
  for await (const line of splitLines(output)) await put({ server: name, line });
  await put({ server: name, problem: await ended });
}

async function explainRun(hosts: OpenHosts, server: InventoryServer, script: string, options: ScriptOptions): Promise<string> {
  if (server.stopped) return SWITCHED_OFF;
  try {
    return explainEnd(await hosts.run(server, script, options));
  } catch (error) {
    if (isRefusal(error)) throw error;
    return explainFailure(error);
  }
}

/** The lines of a text that comes in parts. */
async function* splitLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = `${rest}${decoder.write(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.replace(/\r$/, '');
    if (rest.length < LONGEST_LINE) continue;
    yield rest;
    rest = '';
  }
  if (rest !== '') yield rest;
}
