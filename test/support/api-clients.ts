import type { AddressInfo, Server, Socket } from 'node:net';
import { type ApiServer, serveApi } from '../../api/listen/serve-api.js';
import { placeMethod } from '../../api/routes/route.js';
import { createTestApi, createTestMethods, TOKEN } from '../../api/test-api.js';
import type { MethodPlace } from '../../app/method-place.js';
import type { Carrier } from '../../client/client.js';
import { createHttpCarrier } from '../../client/http/http-client.js';
import { ProvisioningError } from '../../core/errors.js';

const places: Record<string, MethodPlace> = Object.fromEntries(
  Object.values(createTestMethods({ calls: [], aborted: [] })).map((method) => {
    const { verb, path, waits } = placeMethod(method);
    const resumes = method.kind === 'stream';
    const safe = verb === 'GET';
    return [
      method.name,
      { verb, path, ...(safe && { safe }), ...(waits && { waits }), ...(resumes && { resumes }) } as MethodPlace,
    ];
  }),
);

const cleanups: (() => Promise<unknown>)[] = [];
/** Closes everything that a test has opened with these functions. */
export async function closeAll(): Promise<void> {
  for (const close of cleanups.splice(0).reverse()) await close();
}

/** Starts an API server with the methods of tests on loopback. */
export async function serve(port = 0) {
  const made = createTestApi();
  const server: ApiServer = await serveApi(made.api, {
    address: { host: '127.0.0.1', port },
    log: () => {},
    times: { stopping: 100 },
  });
  cleanups.push(() => server.close());
  return { ...made, server };
}

/** Calls the methods of tests. */
export function ask(url: string, token = TOKEN, lastingMs?: number): Carrier {
  const carrier = createHttpCarrier({ url, token }, places, lastingMs);
  cleanups.push(() => carrier.close());
  return carrier;
}

/** Starts a server that handles connections as a test defines. */
export async function listen(server: Server): Promise<string> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => void open.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the error of a call that must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<ProvisioningError> {
  const error = await promise.then(
    (answer) => new Error(`it answers ${JSON.stringify(answer)}`),
    (failure: unknown) => failure,
  );
  if (error instanceof ProvisioningError) return error;
  throw error;
}

export async function collect(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

export const cursors = (events: unknown[]) => events.map((event) => (event as { cursor: string }).cursor);
export const upTo = (last: number) => Array.from({ length: last }, (_, index) => `c${index + 1}`);
