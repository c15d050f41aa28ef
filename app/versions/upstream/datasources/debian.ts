import { readFile } from 'node:fs/promises';
import type { VersionsFile } from '../../../../core/schema/versions/versions-file.js';
import { DEBIAN_CODENAMES } from '../../../../core/versions/release-versions.js';
import type { AptSuite } from './apt-lists.js';
import { aptVersions } from './apt-versions.js';
import type { Looking, Part } from './part.js';

type Debian = Extract<VersionsFile['upstream'], { datasource: 'debian' }>;

const ARCHIVE = 'https://deb.debian.org/debian';
const SECURITY = 'https://deb.debian.org/debian-security';
/** Where the package `debian-archive-keyring` has the keys. */
const KEYRINGS = ['/usr/share/keyrings/debian-archive-keyring.gpg', '/usr/share/keyrings/debian-archive-keyring.pgp'];

/**
 * Looks at the archive of Debian, with its security updates, for the releases that services are proven on.
 *
 * @param keyrings files with the keys of the archive; the first one that is there counts
 */
export async function lookAtDebian({ package: name }: Debian, looking: Looking, keyrings = KEYRINGS): Promise<Part[]> {
  const keyring = await firstOf(keyrings);
  const suites = Object.values(DEBIAN_CODENAMES).flatMap((codename): AptSuite[] => [
    { uri: ARCHIVE, suite: codename, components: ['main'], keyring },
    { uri: SECURITY, suite: `${codename}-security`, components: ['main'], keyring },
  ]);
  return aptVersions(name, suites, looking);
}

async function firstOf(files: readonly string[]): Promise<AptSuite['keyring']> {
  for (const file of files) {
    const found = await readFile(file).catch(() => undefined);
    if (found) return found;
  }
  return { why: 'the keys of Debian are not installed here (debian-archive-keyring)' };
}
