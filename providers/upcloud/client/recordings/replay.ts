import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

export interface Interaction {
  request: { method: string; path: string; body?: unknown };
  response: { status: number; headers: Record<string, string>; body?: unknown };
  /** So many identical polls in a row. */
  repeat?: number;
}

/** Where the recorded conversations are: `PROVISIONING_CLOUD_DATA`, else beside the checkout. */
export const recordingsFolder = resolve(process.env.PROVISIONING_CLOUD_DATA ?? '../shared/clouds', 'upcloud-cassettes');

export function readRecording(name: string): Interaction[] {
  const file = resolve(recordingsFolder, `${name}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { interactions: Interaction[] }).interactions;
}

export interface Replay {
  endpoint: string;
  /** What was asked otherwise than recorded, and what was never asked. */
  complaints(): string[];
  /** How many requests came. */
  requests(): number;
  close(): Promise<void>;
}

/**
 * A server on 127.0.0.1 that holds one recorded conversation: it answers the
 * recorded requests in their order. A GET that asks the same again gets the last
 * answer to it again, as polls do. All else is answered by 599 and complained of.
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

/** Method, path and query (names and values in any order), and body up to the order of its fields. */
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
