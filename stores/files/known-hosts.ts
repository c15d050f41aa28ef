import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Change of a server: its public key, or its removal. */
interface Change {
  key?: string;
  /** The file has no line for this server: a new line at its end is enough. */
  fresh?: boolean;
}

/** Per folder: the changes that wait for the current write, and that write. */
const open = new Map<string, { waiting: Map<string, Change>; last: Promise<void>; next?: Promise<void> }>();

/**
 * Adds a server's key to the `known_hosts` of a folder, or removes it. Each folder has one write at a time, since
 * servers come and go concurrently. Changes that arrive during a write share the next write. A new server costs only
 * its own line, however long the list is.
 */
export function changeKnownHosts(folder: string, server: string, change: Change): Promise<void> {
  const queue = open.get(folder) ?? { waiting: new Map<string, Change>(), last: Promise.resolve() };
  open.set(folder, queue);
  // After another waiting change, the content of the file is unknown.
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
  // A concurrent reader gets either the complete former list or the complete new one.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, [...kept, ...lines].join(''), { mode: 0o600 });
  await rename(draft, path);
}
