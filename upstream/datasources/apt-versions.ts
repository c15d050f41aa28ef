import { ProvisioningError } from '../../core/errors.js';
import { upstreamPart } from '../reading/package-version.js';
import { stableVersions } from '../reading/stable-version.js';
import { createMissingError } from '../upstream-errors.js';
import { releaseOf } from './apt-lists.js';
import type { AptSuite } from './apt-suite.js';
import { findKeptPart, type ListLookup, type Part } from './part.js';

/**
 * Looks for a package in suites of apt repositories. Missing suites are ignored if there is at least one other suite.
 *
 * @param versionOf extracts the software's version from the package's version; undefined for other packages
 */
export async function aptVersions(
  name: string,
  suites: readonly AptSuite[],
  looking: ListLookup,
  versionOf: (version: string) => string | undefined = upstreamPart,
): Promise<Part[]> {
  const parts: Part[] = [];
  let missing: unknown;
  for (const suite of suites) {
    try {
      parts.push(await aptPart(name, suite, looking, versionOf));
    } catch (error) {
      if (!(error instanceof ProvisioningError) || error.details.code !== 'versions-missing') throw error;
      missing ??= error;
    }
  }
  if (parts.length === 0) throw missing;
  if (parts.some(({ versions }) => versions.length > 0)) return parts;
  const hosts = [...new Set(suites.map(({ uri }) => new URL(uri).host))].join(', ');
  throw createMissingError(hosts, `no released version of the package ${name} is there`);
}

/**
 * Returns the package's versions in one suite, which may be empty.
 *
 * @throws ProvisioningError `versions-missing` if there is no such suite
 */
export async function aptPart(
  name: string,
  suite: AptSuite,
  looking: ListLookup,
  versionOf: (version: string) => string | undefined,
): Promise<Part> {
  const of = releaseOf(suite);
  const before = findKeptPart(looking, of);
  const list = await looking.lists.of(suite, before?.validators);
  if (!list) return before as Part;
  const versions = stableVersions((list.packages.get(name) ?? []).flatMap((one) => versionOf(one) ?? []));
  return {
    of,
    validators: list.validators,
    versions: versions.map((version) => ({ version })),
    complete: true,
    ...(list.remark !== undefined && { remark: list.remark }),
  };
}
