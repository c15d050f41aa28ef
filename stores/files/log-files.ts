import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGatheredLog } from '../gathered-log.js';
import { contextOfLog, type LogKey, type LogStore } from '../logs.js';
import type { Sealer } from './sealer.js';

/** First line of a sealed log. A log that begins differently is a plain text log of a former version. */
const SEALED = 'provisioning-sealed-log-1\n';
/** A complete part: its number, and the sealed text. A line that a crash truncated does not match. */
const PART = /^(\d+) ([A-Za-z0-9+/]+=*) \.$/;

/**
 * Logs as files: `<root>/<operation>/<server>.<taskserv>.<generation>.<attempt>.log`, mode 0600. Each line is a part,
 * sealed for its place.
 */
export function logFiles(root: string, sealer: Sealer): LogStore {
  return {
    async open(key) {
      const { operation, server, taskserv, generation, attempt } = key;
      await mkdir(join(root, operation), { recursive: true, mode: 0o700 });
      const path = join(root, operation, [server, taskserv, generation, attempt, 'log'].join('.'));
      await writeFile(path, SEALED, { mode: 0o600 });
      const { seal } = await sealer();
      let isTorn = false;
      return createGatheredLog(async (part, text) => {
        const sealed = Buffer.from(seal(Buffer.from(text), contextOfLog(key, part))).toString('base64');
        const line = `${isTorn ? '\n' : ''}${part} ${sealed} .\n`;
        isTorn = true;
        await appendFile(path, line);
        isTorn = false;
      });
    },
    async read(operation) {
      const names = await readdir(join(root, operation)).catch(() => []);
      const attempts = names.map((name) => ({ name, parts: /^(.+)\.([^.]+)\.(\d+)\.(\d+)\.log$/.exec(name) }));
      const last = new Map<string, LogKey & { name: string }>();
      for (const { name, parts } of attempts) {
        if (!parts) continue;
        const [, server = '', taskserv = '', generation = '0', attempt = '0'] = parts;
        const key = `${server}/${taskserv}/${generation}`;
        const known = last.get(key);
        if (!known || known.attempt < Number(attempt))
          last.set(key, { name, operation, server, taskserv, generation: Number(generation), attempt: Number(attempt) });
      }
      const sorted = [...last.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
      return Promise.all(
        sorted.map(async ({ name, ...key }) => ({
          server: key.server,
          taskserv: key.taskserv,
          text: await unpackLogText(await readFile(join(root, operation, name)), key, sealer),
        })),
      );
    },
  };
}

/** Returns the text of a log file. */
export async function unpackLogText(kept: Buffer, key: LogKey, sealer: Sealer): Promise<string> {
  const text = kept.toString('utf8');
  if (!text.startsWith(SEALED)) return text;
  const { open } = await sealer();
  const parts = new Map<number, string>();
  for (const line of text.slice(SEALED.length).split('\n')) {
    const [, part, sealed = ''] = PART.exec(line) ?? [];
    if (part === undefined) continue;
    const plain = await open(Buffer.from(sealed, 'base64'), contextOfLog(key, Number(part)));
    parts.set(Number(part), Buffer.from(plain).toString('utf8'));
  }
  return [...parts]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('');
}
