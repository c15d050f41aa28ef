import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogStore } from '../logs.js';

/** Logs as files: `<root>/<operation>/<server>.<taskserv>.<generation>.<attempt>.log`, mode 0600. */
export function logFiles(root: string): LogStore {
  return {
    async open({ operation, server, taskserv, generation, attempt }) {
      await mkdir(join(root, operation), { recursive: true, mode: 0o700 });
      const stream = createWriteStream(join(root, operation, [server, taskserv, generation, attempt, 'log'].join('.')), {
        mode: 0o600,
      });
      // A full disk: told at the end, rather than thrown where nobody listens.
      let failed: Error | undefined;
      stream.on('error', (error) => {
        failed = error;
      });
      return {
        // Work that outlives its attempt may still be speaking: the next attempt hears it again.
        write: (text) => void (stream.writableEnded || stream.destroyed || stream.write(text)),
        close: () =>
          new Promise((resolve, reject) => {
            if (failed) reject(failed);
            else stream.end((error?: Error | null) => (error ? reject(error) : resolve()));
          }),
      };
    },
    async read(operation) {
      const names = await readdir(join(root, operation)).catch(() => []);
      const attempts = names.map((name) => ({ name, parts: /^(.+)\.([^.]+)\.(\d+)\.(\d+)\.log$/.exec(name) }));
      const last = new Map<string, { name: string; server: string; taskserv: string; order: number; generation: number }>();
      for (const { name, parts } of attempts) {
        if (!parts) continue;
        const [, server = '', taskserv = '', generation = '0', attempt = '0'] = parts;
        const key = `${server}/${taskserv}/${generation}`;
        const known = last.get(key);
        if (!known || known.order < Number(attempt))
          last.set(key, { name, server, taskserv, order: Number(attempt), generation: Number(generation) });
      }
      const sorted = [...last.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
      return Promise.all(
        sorted.map(async ({ name, server, taskserv }) => ({
          server,
          taskserv,
          text: await readFile(join(root, operation, name), 'utf8'),
        })),
      );
    },
  };
}
