import { readFile } from 'node:fs/promises';
import { createTwoFilesPatch } from 'diff';
import { messageOf } from '../../core/errors.js';
import { type VersionsFile, versionsIn } from '../../core/schema/versions/versions-file.js';
import { newestFirst } from '../../core/versions/newest-first.js';
import { readVersions } from '../../core/versions/published.js';
import { versionChange } from '../../core/versions/version-change.js';
import { writeWhole } from '../../settings/edit/write-file.js';
import { aptListsBy } from '../../upstream/datasources/apt-lists.js';
import { lookAtIndex } from '../../upstream/datasources/index-page.js';
import { lookAtReleases } from '../../upstream/datasources/releases.js';
import { newerVersions } from '../../upstream/newer-versions.js';
import type { ListedVersion } from '../../upstream/reading/release-tags.js';
import type { Publisher } from './artifact-places.js';
import { insertVersion } from './insert-version.js';
import { type EntryOptions, newEntry } from './new-entry.js';

export interface AddOptions extends EntryOptions {
  /** Whether to write the file; otherwise the change is only shown. */
  write: boolean;
  /** Whether to add versions with unverified hashes too. */
  unsigned: boolean;
}

/** Result for a service's newer versions. */
export interface Added {
  service: string;
  /** Versions that were or would be added to the file. */
  added: string[];
  /** Versions, added or skipped, whose hashes are not verified, with reasons. */
  unverified: { version: string; why: string[] }[];
  /** Skipped versions with reasons. Without a version, the reason is about the whole service. */
  failed: { version?: string; why: string }[];
  /** Change of the file; empty if nothing changes. */
  diff: string;
}

/**
 * Adds the newest patch release of each supported line to a `versions.json`, with the hashes that its vendor lists.
 *
 * @param path of the file
 */
export async function addVersions(service: string, path: string, options: AddOptions): Promise<Added | undefined> {
  const before = await readFile(path, 'utf8');
  const file = readVersions(service, JSON.parse(before));
  const { upstream } = file;
  if (upstream.datasource !== 'releases' && upstream.datasource !== 'index') return undefined;
  const result: Added = { service, added: [], unverified: [], failed: [], diff: '' };
  let text = before;
  try {
    for (const one of await patchesOf(file, upstream, options)) {
      try {
        const { entry, unverified } = await newEntry(upstream, one, entryBefore(file, one.version), options);
        if (unverified.length > 0) result.unverified.push({ version: one.version, why: unverified });
        if (unverified.length > 0 && !options.unsigned) continue;
        const after = insertVersion(text, one.version, entry);
        readVersions(service, JSON.parse(after));
        text = after;
        result.added.push(one.version);
      } catch (error) {
        result.failed.push({ version: one.version, why: messageOf(error) });
      }
    }
  } catch (error) {
    result.failed.push({ why: messageOf(error) });
  }
  if (text === before) return result;
  if (options.write) await writeWhole(path, text, 0o644);
  return { ...result, diff: createTwoFilesPatch(path, path, before, text, undefined, undefined, { context: 2 }) };
}

const supportedIn = (file: VersionsFile): string[] =>
  versionsIn(file).flatMap(([version, { withdrawn }]) => (withdrawn === undefined ? [version] : []));

/** Returns newer patch releases, oldest first, so that each is inserted after those before it. */
async function patchesOf(file: VersionsFile, upstream: Publisher, { web }: AddOptions): Promise<ListedVersion[]> {
  const supported = supportedIn(file);
  const looking = { web, lists: aptListsBy(web), kept: [], supported };
  const parts = upstream.datasource === 'index' ? await lookAtIndex(upstream, looking) : await lookAtReleases(upstream, looking);
  const listed = new Map(parts.flatMap(({ versions }) => versions).map((one) => [one.version, one]));
  const usable = [...listed.keys()].filter((version) => file.versions[version] === undefined);
  const { patch } = newerVersions(usable, supported);
  return patch.sort((a, b) => newestFirst(b, a)).map((version) => listed.get(version) as ListedVersion);
}

/** Returns the entry of the supported version that a patch release follows. */
const entryBefore = (file: VersionsFile, version: string) =>
  versionsIn(file).find(([one]) => newestFirst(version, one) < 0 && versionChange(one, version) === 'patch')?.[1];
