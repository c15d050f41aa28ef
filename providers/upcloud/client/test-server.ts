import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type UpCloudClient, type UpCloudOptions, upcloudClient } from './index.js';

/** Runs a test with a client of a server on 127.0.0.1. */
export async function useTestServer<T>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (client: UpCloudClient) => Promise<T>,
  { path = '', ...options }: Partial<UpCloudOptions> & { path?: string } = {},
): Promise<T> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    return await use(
      upcloudClient({ credentials: { token: 'ucat_secret' }, endpoint: `http://127.0.0.1:${port}${path}`, ...options }),
    );
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}
