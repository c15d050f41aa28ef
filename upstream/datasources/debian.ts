import { readFile } from 'node:fs/promises';
import { ProvisioningError } from '../../core/errors.js';
import { newestFirst } from '../../core/versions/newest-first.js';
import { DEBIAN_CODENAMES } from '../../core/versions/release-versions.js';
import type { DebianRelease, HeldByArchive, WantedOfArchive } from '../archives.js';
import { upstreamPart } from '../reading/package-version.js';
import { releaseOf } from './apt-lists.js';
import type { AptSuite } from './apt-suite.js';
import { aptPart } from './apt-versions.js';
import type { ListLookup, Part } from './part.js';

const ARCHIVE = 'https://deb.debian.org/debian';
const SECURITY = 'https://deb.debian.org/debian-security';
/** Paths of the keys from the package `debian-archive-keyring`. */
const KEYRINGS = ['/usr/share/keyrings/debian-archive-keyring.gpg', '/usr/share/keyrings/debian-archive-keyring.pgp'];

/**
 * Looks up the wanted packages in the Debian archive, with security updates.
 *
 * @param keyrings files with the keys of the archive; the first existing file is used
 * @throws ProvisioningError `versions-missing` if the archive has no lists of a release, and errors of
 *   `upstream-errors.ts`
 */
export async function lookAtDebian(wanted: readonly WantedOfArchive[], looking: ListLookup, keyrings = KEYRINGS): Promise<Part[]> {
  const keyring = await firstOf(keyrings);
  const parts: Part[] = [];
  for (const { release, package: name } of wanted) {
    const [main, security] = suitesOf(release);
    parts.push(await aptPart(name, { ...main, keyring }, looking, heldVersion));
    // Not every mirror has the security updates.
    const updates = await aptPart(name, { ...security, keyring }, looking, heldVersion).catch(unlessMissing);
    if (updates) parts.push(updates);
  }
  return parts;
}

/** Returns the version in the archive of each release, from its lists. */
export function listHeldByArchives(wanted: readonly WantedOfArchive[], parts: readonly Part[]): HeldByArchive[] {
  return wanted.map((one) => {
    const lists = suitesOf(one.release).map(releaseOf);
    const versions = parts.filter(({ of }) => lists.includes(of)).flatMap((part) => part.versions.map(({ version }) => version));
    const [version] = versions.sort(newestFirst);
    return { ...one, ...(version !== undefined && { version }) };
  });
}

type Suite = Omit<AptSuite, 'keyring'>;

function suitesOf(release: DebianRelease): [main: Suite, security: Suite] {
  const codename = DEBIAN_CODENAMES[release];
  return [
    { uri: ARCHIVE, suite: codename, components: ['main'] },
    { uri: SECURITY, suite: `${codename}-security`, components: ['main'] },
  ];
}

/** Hosts get a pre-release that the archive contains: `1.6.7` for `1.6.7~rc0-1`. */
const heldVersion = (version: string): string => upstreamPart(version).replace(/~.*$/, '');

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ProvisioningError) || error.details.code !== 'versions-missing') throw error;
}

async function firstOf(files: readonly string[]): Promise<AptSuite['keyring']> {
  for (const file of files) {
    const found = await readFile(file).catch(() => undefined);
    if (found) return found;
  }
  return { why: 'the keys of Debian are not installed here (debian-archive-keyring)' };
}
