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

/** Paths of the files of one secret, and the encoding of their content. */
export interface VersionPlace {
  /** A folder with a file for each version. */
  folder: string;
  /** Path of the value from a release without versions. */
  former: string;
  /** Returns the file content for a text. */
  pack(text: string): Promise<string>;
  /** The text that was written. */
  unpack(bytes: Buffer): Promise<string>;
}

/** Returns the version in use, which has the highest number. Undefined if no version exists. */
export async function readNewestVersion(place: VersionPlace): Promise<KeptVersion | undefined> {
  // A file may be deleted, or converted to a version, between two looks.
  for (let look = 1; look <= 5; look++) {
    const [newest] = await listNumbers(place);
    const found = newest === undefined ? await formerOf(place) : await readVersion(place, newest);
    if (found) return found;
    if (newest === undefined && (await listNumbers(place)).length === 0) return undefined;
  }
  return undefined;
}

/** Returns the numbers of stored versions, the highest first, without the value of a former release. */
export const listNumbers = async ({ folder }: VersionPlace): Promise<number[]> =>
  (await namesIn(folder))
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);

/** Returns all stored versions, the newest first. */
export async function readVersions(place: VersionPlace): Promise<KeptVersion[]> {
  const numbers = await listNumbers(place);
  const found = await Promise.all(numbers.map((number) => readVersion(place, number)));
  const versions = found.filter((version) => version !== undefined);
  if (versions.length > 0) return versions;
  const former = await formerOf(place);
  return former ? [former] : [];
}

/** Stores a value as the next version, and keeps at most `KEPT_VERSIONS` versions. */
export async function addVersion(place: VersionPlace, value: string, origin: Origin): Promise<void> {
  // Until a home is sealed, a worker of a former version may run, which reads only that file.
  const isSealing = isSealed(Buffer.from(await place.pack('')));
  await takeUp(place, isSealing);
  for (;;) {
    const [newest = 0] = await listNumbers(place);
    // If two versions are added at once, each gets its own number.
    if (!(await addAs(place, newest + 1, value, { ...origin, at: new Date().toISOString() }))) continue;
    for (const number of await listNumbers(place))
      if (number <= newest + 1 - KEPT_VERSIONS) await rm(join(place.folder, String(number)), { force: true });
    if (!isSealing) await replaceFile(place.former, await place.pack(value));
    return;
  }
}

/** Stores a version under its number unless the number exists. @returns whether this call stored it */
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
      // The secret was deleted with its folder.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 5) throw error;
    }
  }
}

/** Deletes all versions at once: a reader finds all of them, or none. @returns whether there was one */
export async function removeVersions(place: VersionPlace): Promise<boolean> {
  const { folder, former } = place;
  const isKept = (await listNumbers(place)).length > 0 || (await bytesAt(former)) !== undefined;
  await rm(former, { force: true });
  const gone = join(folder, '..', `.${randomUUID()}`);
  await ignoreMissing(rename(folder, gone));
  await rm(gone, { recursive: true, force: true });
  return isKept;
}

/** Makes the value of a former release the first version. */
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
    // Without the cause, whose message would contain the content of the file.
    throw bugError({
      code: 'secret-file',
      what: 'read the secret',
      on: path,
      why: 'the file does not have the format of this version',
    });
  }
}
