import { createHash, randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ARTIFACT_PART } from '../../core/host/artifact.js';
import { LIMITS } from '../../core/limits.js';
import { type Fetching, fetchInto, type Wanted } from './fetch-artifact.js';
import { createFlights } from './flights.js';

/** A file of the cache, open: it can be read to its end, whatever becomes of its name. */
export interface CachedArtifact {
  /** Bytes. */
  size: number;
  /** A part of `ARTIFACT_PART` bytes, the last one of what is left. */
  read(part: number): Promise<Buffer>;
}

/** What the worker has fetched for hosts. */
export interface ArtifactCache {
  /** Has an artifact used, which is fetched before where it is not there. Of several who want it at once, one fetches. */
  use(
    wanted: Wanted,
    watch: Pick<Fetching, 'signal' | 'onProgress'>,
    work: (found: CachedArtifact) => Promise<void>,
  ): Promise<void>;
}

/** Bounds other than those of the product, for tests. */
interface Bounds {
  artifact?: number;
  artifacts?: number;
  idleMs?: number;
}

const IDLE_MS = 30_000;
/** How exactly it is noted when a file was last used. */
const USED_MS = 60_000;
/** A file that nobody has written to for so long belongs to a worker that is gone. */
const ABANDONED_MS = 2 * IDLE_MS;

/**
 * Artifacts in a folder of this user's alone, by their SHA-256, which each is held to when it is fetched and before a
 * process first uses it. `HASH` is whole; `HASH.KEY` is the beginning of one, with a key of its URL; a worker that
 * fetches it has it under a name of its own meanwhile.
 *
 * @param makePrivate makes the folder, and sees that nobody else can put something into it
 */
export function artifactCache(folder: string, makePrivate: (folder: string) => Promise<void>, bounds: Bounds = {}): ArtifactCache {
  const { artifact: most = LIMITS.artifact, artifacts = LIMITS.artifacts, idleMs = IDLE_MS } = bounds;
  const fly = createFlights();
  /** Files whose hash was looked at by this process, as they were then. */
  const looked = new Map<string, string>();

  return {
    async use(wanted, { signal, onProgress }, work) {
      await makePrivate(folder);
      const path = join(folder, wanted.sha256);
      for (;;) {
        const file = await openWhole(path, wanted.sha256);
        if (file) {
          try {
            return await work({ size: (await file.stat()).size, read: (part) => readPart(file, part) });
          } finally {
            await file.close();
          }
        }
        await fly(`${wanted.sha256} ${wanted.url}`, { signal, onProgress }, (watch) => fetchOnce(wanted, watch));
      }
    },
  };

  /** The file, where it is there and is what its name says. Its time says when it was last used. */
  async function openWhole(path: string, sha256: string): Promise<FileHandle | undefined> {
    const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW).catch(orAbsent);
    if (!file) return undefined;
    try {
      const found = await file.stat();
      if (looked.get(sha256) !== stateOf(found) && (await hashOf(file)) !== sha256) {
        await file.close();
        await rm(path, { force: true });
        return undefined;
      }
      // Not at each use: its state is to stay for the many who have looked at it.
      if (Date.now() - found.mtimeMs > USED_MS) await file.utimes(new Date(), new Date());
      looked.set(sha256, stateOf(await file.stat()));
      return file;
    } catch (error) {
      await file.close().catch(() => {});
      throw error;
    }
  }

  async function fetchOnce(wanted: Wanted, watch: Pick<Fetching, 'signal' | 'onProgress'>): Promise<void> {
    const begun = join(folder, `${wanted.sha256}.${keyOf(wanted.url)}`);
    const own = `${begun}.${randomUUID()}`;
    await takeOver(begun, own);
    const file = await open(own, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    try {
      await fetchInto(file, wanted, { ...watch, most, idleMs });
      await file.sync();
      await file.close();
      await rename(own, join(folder, wanted.sha256));
    } catch (error) {
      const { size } = await file.stat().catch(() => ({ size: 0 }));
      await file.close().catch(() => {});
      // For the next try, of whichever worker.
      await (size > 0 ? rename(own, begun) : rm(own, { force: true }));
      throw error;
    } finally {
      await makeRoom(wanted.sha256);
    }
  }

  /** What an earlier try has left becomes this one's: of two workers, one gets it, and the other begins at the beginning. */
  async function takeOver(begun: string, own: string): Promise<void> {
    const prefix = `${begun.slice(folder.length + 1)}.`;
    const left = [begun];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (name.startsWith(prefix) && (await isAbandoned(path))) left.push(path);
    }
    for (const path of left) {
      const moved = await rename(path, own).then(() => true, orAbsent);
      if (moved) return;
    }
  }

  async function isAbandoned(path: string): Promise<boolean> {
    const found = await stat(path).catch(orAbsent);
    return found !== undefined && Date.now() - found.mtimeMs > Math.max(ABANDONED_MS, 2 * idleMs);
  }

  /** Takes the oldest files away until the rest is within its bound; those that are written right now stay. */
  async function makeRoom(kept: string): Promise<void> {
    const found = await Promise.all(
      (await readdir(folder)).map(async (name) => ({ name, ...(await stat(join(folder, name)).catch(orAbsent)) })),
    );
    const files = found.flatMap(({ name, size, mtimeMs }) =>
      size === undefined || mtimeMs === undefined ? [] : [{ name, size, mtimeMs }],
    );
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= artifacts) return;
      if (name === kept || (name.split('.').length > 2 && !(await isAbandoned(join(folder, name))))) continue;
      await rm(join(folder, name), { force: true });
      looked.delete(name);
      total -= size;
    }
  }
}

/** What differs as soon as something else is in a file. */
const stateOf = ({ ino, size, ctimeMs }: Stats): string => `${ino} ${size} ${ctimeMs}`;

const keyOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);

async function readPart(file: FileHandle, part: number): Promise<Buffer> {
  const bytes = Buffer.alloc(ARTIFACT_PART);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(bytes, size, bytes.length - size, part * ARTIFACT_PART + size);
    size += bytesRead;
    if (bytesRead === 0 || size === bytes.length) return bytes.subarray(0, size);
  }
}

async function hashOf(file: FileHandle): Promise<string> {
  const sum = createHash('sha256');
  const part = Buffer.alloc(1 << 20);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(part, 0, part.length, position);
    if (bytesRead === 0) return sum.digest('hex');
    sum.update(part.subarray(0, bytesRead));
    position += bytesRead;
  }
}

function orAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
