import { ProvisioningError } from '../../core/errors.js';
import { upstreamPart } from '../reading/package-version.js';
import { stableVersions } from '../reading/stable-version.js';
import { createMissingError } from '../upstream-errors.js';
import { releaseOf } from './apt-lists.js';
import type { AptSuite } from './apt-suite.js';
import { findKeptPart, type ListLookup, type Part } from './part.js';

/**
 * Looks for a package in suites of apt repositories. A suite that is not there is left out, as long as there is another one.
 *
 * @param versionOf the version of the software in that of the package; undefined where it is not one of ours
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

/** What one suite has of a package, none included. @throws ProvisioningError `versions-missing` where there is no such suite */
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
