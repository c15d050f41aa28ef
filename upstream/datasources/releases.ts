import type { VersionsFile } from '../../core/schema/versions/versions-file.js';
import { type ListedVersion, releaseTags } from '../reading/release-tags.js';
import { createMissingError, unreadable } from '../upstream-errors.js';
import { findKeptPart, folder, type ListLookup, type Part } from './part.js';

/** Maximum size of a page in bytes: release notes are long. */
const MOST_BYTES = 20_000_000;
/** Maximum number of pages, each with a hundred releases. */
const MOST_PAGES = 5;

export type Releases = Extract<VersionsFile['upstream'], { datasource: 'releases' }>;

/**
 * Reads the releases of a repository from the API of GitHub, Forgejo or Gitea, newest first, until all supported
 * versions were found. Drafts and pre-releases do not count.
 */
export async function lookAtReleases({ api, repository, tag }: Releases, looking: ListLookup): Promise<Part[]> {
  const of = `${folder(api)}repos/${repository}/releases?per_page=100&limit=100`;
  const { host } = new URL(api);
  const before = findKeptPart(looking, of);
  const versions: ListedVersion[] = [];
  let validators = {};
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await looking.web.get(`${of}&page=${page}`, {
      most: MOST_BYTES,
      accept: 'application/json',
      ...(page === 1 && before && { validators: before.validators }),
    });
    // A new release is on the first page.
    if (!answer) return before ? [before] : [];
    const found = releaseTags(jsonOf(answer.body), tag);
    if (!found) throw unreadable(host, 'its answer is not a list of releases');
    versions.push(...found);
    if (page === 1) validators = answer.validators;
    const seen = new Set(versions.map(({ version }) => version));
    const complete = !answer.more;
    if (complete || looking.supported.every((one) => seen.has(one)))
      return [{ of, validators, versions: some(versions), complete: true }];
  }
  return [{ of, validators, versions: some(versions), complete: false }];

  function some(all: ListedVersion[]): ListedVersion[] {
    if (all.length > 0) return all;
    throw createMissingError(host, `${repository} has no release with a tag like ${tag}`);
  }
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
