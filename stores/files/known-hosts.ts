import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What is to be said of a server: its public key, or that it is gone. */
interface Change {
  key?: string;
  /** The file has no line of this server: one at its end is all that is needed. */
  fresh?: boolean;
}

/** Per folder: what waits for the current write, and that write. */
const open = new Map<string, { waiting: Map<string, Change>; last: Promise<void>; next?: Promise<void> }>();

/**
 * Puts a server's key into the `known_hosts` of a folder, or takes it out. One write
 * at a time for each folder, since servers come and go side by side; what comes
 * meanwhile shares the next. A new server costs its own line, however many there are.
 */
export function changeKnownHosts(folder: string, server: string, change: Change): Promise<void> {
  const queue = open.get(folder) ?? { waiting: new Map<string, Change>(), last: Promise.resolve() };
  open.set(folder, queue);
  // After another change that waits it is no longer known what the file has.
  const fresh = change.fresh && !queue.waiting.has(server);
  queue.waiting.set(server, { ...change, fresh });
  if (queue.next) return queue.next;
  const next = queue.last
    .catch(() => {})
    .then(() => {
      const changes = queue.waiting;
      queue.waiting = new Map();
      queue.next = undefined;
      return write(folder, changes);
    })
    .finally(() => {
      if (queue.last === next && !queue.next) open.delete(folder);
    });
  queue.last = next;
  queue.next = next;
  return next;
}

async function write(folder: string, changes: ReadonlyMap<string, Change>): Promise<void> {
  const path = join(folder, 'known_hosts');
  const lines = [...changes].flatMap(([server, { key }]) => {
    const [type, value] = key?.split(' ') ?? [];
    return type && value ? [`${server} ${type} ${value}\n`] : [];
  });
  if (lines.length > 0) await mkdir(folder, { recursive: true, mode: 0o700 });
  if ([...changes.values()].every(({ fresh }) => fresh)) return appendFile(path, lines.join(''), { mode: 0o600 });
  const former = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const kept = former.split(/(?<=\n)/).filter((line) => !changes.has(line.split(' ')[0] as string));
  if (former === '' && lines.length === 0) return;
  // Whoever reads it meanwhile reads all of the former list, or all of the new one.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, [...kept, ...lines].join(''), { mode: 0o600 });
  await rename(draft, path);
}
