import type { VersionsFile } from '../../core/schema/versions/versions-file.js';
import { indexVersions } from '../reading/index-versions.js';
import { stableVersions } from '../reading/stable-version.js';
import { createMissingError } from '../upstream-errors.js';
import { findKeptPart, type ListLookup, type Part } from './part.js';

const MOST_BYTES = 10_000_000;

export type IndexPage = Extract<VersionsFile['upstream'], { datasource: 'index' }>;

/** Reads versions from a text, JSON or page with a regular expression. */
export async function lookAtIndex({ index: of, pattern }: IndexPage, looking: ListLookup): Promise<Part[]> {
  const before = findKeptPart(looking, of);
  const answer = await looking.web.get(of, { most: MOST_BYTES, ...(before && { validators: before.validators }) });
  if (!answer) return before ? [before] : [];
  const { host } = new URL(of);
  const versions = stableVersions(indexVersions(answer.body.toString(), pattern, host)).map((version) => ({ version }));
  if (versions.length === 0) throw createMissingError(host, 'the page has no released version');
  return [{ of, validators: answer.validators, versions, complete: true }];
}
