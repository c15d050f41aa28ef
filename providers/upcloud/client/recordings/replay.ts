import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

export interface Interaction {
  request: { method: string; path: string; body?: unknown };
  response: { status: number; headers: Record<string, string>; body?: unknown };
  /** Number of identical polls in a row. */
  repeat?: number;
}

/** Folder of the recorded conversations: `PROVISIONING_CLOUD_DATA`, or beside the checkout. */
export const recordingsFolder = resolve(process.env.PROVISIONING_CLOUD_DATA ?? '../shared/clouds', 'upcloud-cassettes');

export function readRecording(name: string): Interaction[] {
  const file = resolve(recordingsFolder, `${name}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { interactions: Interaction[] }).interactions;
}

export interface Replay {
  endpoint: string;
  /** Requests that differ from the recording, and recorded requests that never came. */
  complaints(): string[];
  /** Number of requests. */
  requests(): number;
  close(): Promise<void>;
}

/**
 * Opens a server on 127.0.0.1 with one recorded conversation. It answers the recorded requests in their order. A
 * repeated GET gets its last answer again, as polls do. All other requests get status 599 and a complaint.
 */
export async function openReplay(interactions: readonly Interaction[]): Promise<Replay> {
  const complaints: string[] = [];
  let next = 0;
  let repeated = 0;
  let requests = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const came = { method: request.method ?? '', path: request.url ?? '', body: text === '' ? undefined : JSON.parse(text) };
    const found = chosen(came);
    if (!found) {
      const awaited = interactions[next]?.request;
      complaints.push(`asked ${shown(came)}, recorded is ${awaited ? shown(awaited) : 'nothing more'}`);
      response.writeHead(599).end();
      return;
    }
    const { status, headers, body } = found.response;
    response.writeHead(status, headers).end(body === undefined ? undefined : JSON.stringify(body));
  }

  function chosen(came: Interaction['request']): Interaction | undefined {
    const awaited = interactions[next];
    if (awaited && same(awaited.request, came)) {
      repeated += 1;
      if (repeated >= (awaited.repeat ?? 1)) {
        next += 1;
        repeated = 0;
      }
      return awaited;
    }
    const former = interactions[next - 1];
    return former && came.method === 'GET' && same(former.request, came) ? former : undefined;
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests: () => requests,
    complaints: () => [...complaints, ...interactions.slice(next).map(({ request }) => `never asked: ${shown(request)}`)],
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Compares method, path, query (in any order) and body (with fields in any order). */
function same(recorded: Interaction['request'], came: Interaction['request']): boolean {
  const [wantedPath = '', wantedQuery = ''] = recorded.path.split('?');
  const [path = '', query = ''] = came.path.split('?');
  return (
    recorded.method === came.method &&
    wantedPath === path &&
    isDeepStrictEqual(sortedQuery(wantedQuery), sortedQuery(query)) &&
    isDeepStrictEqual(recorded.body, came.body)
  );
}

const sortedQuery = (query: string) => [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`).sort();

const shown = ({ method, path, body }: Interaction['request']) =>
  `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
