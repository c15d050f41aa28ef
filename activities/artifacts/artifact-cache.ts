import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ARTIFACT_PART } from '../../core/host/artifact.js';
import { LIMITS } from '../../core/limits.js';
import { createGuardedFetch, type GuardedFetch } from '../network/guarded-fetch.js';
import { type AllowedPlaces, readAllowedPlaces } from '../network/public-address.js';
import { makeRoom, takeOver } from './cache-folder.js';
import { type ArtifactSource, type FetchOptions, fetchInto } from './fetch-artifact.js';
import { createFlights } from './flights.js';
import { wholeFiles } from './whole-files.js';

/** A file of the cache, open: it can be read to its end, whatever becomes of its name. */
export interface CachedArtifact {
  /** Bytes. */
  size: number;
  /** A part of `ARTIFACT_PART` bytes, the last one of what is left. */
  read(part: number): Promise<Buffer>;
}

/** A caller that waits for an artifact. */
export interface Watch extends Pick<FetchOptions, 'signal' | 'onProgress'> {
  /** Whether it may come only from public addresses, and from those that an administrator allows. */
  onlyPublic?: boolean;
}

/** Artifacts that the worker fetched for hosts. */
export interface ArtifactCache {
  /** Passes an artifact to its user, and fetches it first if it is missing. If several want it at once, one fetches. */
  use(wanted: ArtifactSource, watch: Watch, work: (found: CachedArtifact) => Promise<void>): Promise<void>;
}

/** Bounds other than those of the product, for tests. */
interface Bounds {
  artifact?: number;
  artifacts?: number;
  idleMs?: number;
  /** How it is fetched; default: private addresses are refused to whoever must have public ones. */
  fetchFor?: (onlyPublic: boolean) => GuardedFetch;
}

/** Fetches that are made when they are first needed, each with its own connections. */
export function createFetches(allowed: AllowedPlaces): (onlyPublic: boolean) => GuardedFetch {
  const made = new Map<boolean, GuardedFetch>();
  return (onlyPublic) => {
    const fetch = made.get(onlyPublic) ?? createGuardedFetch({ onlyPublic, allowed });
    made.set(onlyPublic, fetch);
    return fetch;
  };
}

const IDLE_MS = 30_000;

/**
 * Artifacts in a private folder of this user, by their SHA-256, which is checked after fetching and before a process
 * first uses it. `HASH` is complete. `HASH.KEY` is the beginning of one, with a key of its URL. A worker that fetches
 * it has its own name for it in that time.
 *
 * @param makePrivate creates the folder, and ensures that only this user can write to it
 */
export function artifactCache(folder: string, makePrivate: (folder: string) => Promise<void>, bounds: Bounds = {}): ArtifactCache {
  const { artifact: most = LIMITS.artifact, artifacts = LIMITS.artifacts, idleMs = IDLE_MS } = bounds;
  const { fetchFor = createFetches(readAllowedPlaces('')) } = bounds;
  // One that is at work would have given up by then.
  const abandonedMs = 2 * Math.max(idleMs, IDLE_MS);
  const fly = createFlights();
  const openWhole = wholeFiles();

  return {
    async use(wanted, { signal, onProgress, onlyPublic = false }, work) {
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
        // Callers with other rules have a separate fetch, so none is refused because of another.
        const fetch = fetchFor(onlyPublic);
        const flight = `${wanted.sha256} ${wanted.url} ${onlyPublic}`;
        await fly(flight, { signal, onProgress }, (watch) => fetchOnce(wanted, { ...watch, fetch }));
      }
    },
  };

  async function fetchOnce(wanted: ArtifactSource, watch: Pick<FetchOptions, 'signal' | 'onProgress' | 'fetch'>): Promise<void> {
    const begun = join(folder, `${wanted.sha256}.${keyOf(wanted.url)}`);
    const own = `${begun}.${randomUUID()}`;
    await takeOver(begun, own, abandonedMs);
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
      await makeRoom(folder, wanted.sha256, artifacts, abandonedMs);
    }
  }
}

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
