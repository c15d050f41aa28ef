import { randomUUID } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bugError } from '../../core/errors.js';
import { createFile, replaceFile } from '../../home/durable.js';
import { KEPT_VERSIONS, NOBODY, type Origin, originRecord, type SecretVersion } from '../secret-versions.js';
import { bytesAt, ignoreMissing, namesIn } from './listing.js';
import { isSealed } from './private-text.js';

/** A version with its value. */
export interface KeptVersion extends SecretVersion {
  value: string;
}

/** How bytes get into a file and out of it, and where the files of one secret are. */
export interface VersionPlace {
  /** A folder with a file for each version. */
  folder: string;
  /** Where a release without versions kept the value. */
  former: string;
  /** What is written for a text. */
  pack(text: string): Promise<string>;
  /** The text that was written. */
  unpack(bytes: Buffer): Promise<string>;
}

/** The version in use: the one with the highest number. Undefined where there is none. */
export async function readNewestVersion(place: VersionPlace): Promise<KeptVersion | undefined> {
  // What is read may be deleted, or taken up as a version, between one look and the next.
  for (let look = 1; look <= 5; look++) {
    const [newest] = await listNumbers(place);
    const found = newest === undefined ? await formerOf(place) : await readVersion(place, newest);
    if (found) return found;
    if (newest === undefined && (await listNumbers(place)).length === 0) return undefined;
  }
  return undefined;
}

/** Numbers of the versions that are kept, the highest first; not of what a former release left. */
export const listNumbers = async ({ folder }: VersionPlace): Promise<number[]> =>
  (await namesIn(folder))
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);

/** All that is kept, the newest first. */
export async function readVersions(place: VersionPlace): Promise<KeptVersion[]> {
  const numbers = await listNumbers(place);
  const found = await Promise.all(numbers.map((number) => readVersion(place, number)));
  const versions = found.filter((version) => version !== undefined);
  if (versions.length > 0) return versions;
  const former = await formerOf(place);
  return former ? [former] : [];
}

/** Keeps a value as the next version, and of all no more than `KEPT_VERSIONS`. */
export async function addVersion(place: VersionPlace, value: string, origin: Origin): Promise<void> {
  // Until a home is sealed, a worker of a former version may run, which reads that file alone.
  const isSealing = isSealed(Buffer.from(await place.pack('')));
  await takeUp(place, isSealing);
  for (;;) {
    const [newest = 0] = await listNumbers(place);
    // Of two that add one at once, each gets a number of its own.
    if (!(await addAs(place, newest + 1, value, { ...origin, at: new Date().toISOString() }))) continue;
    for (const number of await listNumbers(place))
      if (number <= newest + 1 - KEPT_VERSIONS) await rm(join(place.folder, String(number)), { force: true });
    if (!isSealing) await replaceFile(place.former, await place.pack(value));
    return;
  }
}

/** Keeps a version under its number unless there is one. @returns whether this call did */
export async function addAs(
  { folder, pack }: VersionPlace,
  number: number,
  value: string,
  { at, by, how, recipe }: Omit<SecretVersion, 'version'>,
): Promise<boolean> {
  const packed = await pack(`${JSON.stringify({ at, by, how, recipe })}\n${value}`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await createFile(join(folder, String(number)), packed);
    } catch (error) {
      // It was deleted meanwhile, with its folder.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 5) throw error;
    }
  }
}

/** Deletes all versions at once: who looks finds all of them, or none. @returns whether there was one */
export async function removeVersions(place: VersionPlace): Promise<boolean> {
  const { folder, former } = place;
  const isKept = (await listNumbers(place)).length > 0 || (await bytesAt(former)) !== undefined;
  await rm(former, { force: true });
  const gone = join(folder, '..', `.${randomUUID()}`);
  await ignoreMissing(rename(folder, gone));
  await rm(gone, { recursive: true, force: true });
  return isKept;
}

/** Makes what a former release left the first version. */
async function takeUp(place: VersionPlace, isSealing: boolean): Promise<void> {
  const former = await formerOf(place);
  if (!former) return;
  if ((await listNumbers(place)).length === 0) await addAs(place, 1, former.value, former);
  if (isSealing) await rm(place.former, { force: true });
}

async function formerOf({ former, unpack }: VersionPlace): Promise<KeptVersion | undefined> {
  const [bytes, known] = [await bytesAt(former), await ignoreMissing(stat(former))];
  if (!bytes || !known) return undefined;
  return { ...NOBODY, version: 1, at: known.mtime.toISOString(), value: await unpack(bytes) };
}

export async function readVersion({ folder, unpack }: VersionPlace, version: number): Promise<KeptVersion | undefined> {
  const path = join(folder, String(version));
  const bytes = await bytesAt(path);
  if (!bytes) return undefined;
  const text = await unpack(bytes);
  const end = text.indexOf('\n');
  try {
    return { ...originRecord.parse(JSON.parse(text.slice(0, end))), version, value: text.slice(end + 1) };
  } catch {
    // Not as the cause: its text would have what the file holds.
    throw bugError({
      code: 'secret-file',
      what: 'read the secret',
      on: path,
      why: 'the file does not have the format of this version',
    });
  }
}
