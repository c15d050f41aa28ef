import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { homeOf } from '../../home/home.js';
import { checkSocketPaths } from './socket-paths.js';

const folder = mkdtempSync(join(tmpdir(), 'sockets-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a home whose longest socket path has this number of bytes. */
function homeWith(bytes: number): ReturnType<typeof homeOf> {
  const more = bytes - Buffer.byteLength(homeOf({ PROVISIONING_HOME: folder }).socket);
  return homeOf({ PROVISIONING_HOME: `${folder}${'h'.repeat(more)}` });
}

test('a path is refused from the byte on with which no socket can listen', async () => {
  const most = process.platform === 'darwin' ? 103 : 107;
  expect(Buffer.byteLength(homeWith(most).socket)).toBe(most);
  expect(() => checkSocketPaths(homeWith(most))).not.toThrow();
  expect(() => checkSocketPaths(homeWith(most + 1))).toThrow(/its path is 1 byte too long/);
  expect(() => checkSocketPaths(homeWith(most + 20))).toThrow(/its path is 20 bytes too long/);
  // The machine has the same bound; some versions of Node use one byte more, or listen at a path that is cut off.
  const listens = (path: string) =>
    new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(path, () => {
        const isThere = existsSync(path);
        server.close(() => resolve(isThere));
      });
    });
  const name = (bytes: number) => join(folder, 'x'.repeat(bytes - Buffer.byteLength(folder) - 1));
  expect([await listens(name(most)), await listens(name(most + 2))]).toEqual([true, false]);
});
