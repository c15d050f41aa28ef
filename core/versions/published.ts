import { bugError } from '../errors.js';
import type { PublishedVersions } from '../registry.js';
import { type VersionsFile, versionsFile } from '../schema/versions/versions-file.js';

/**
 * Loads the `versions.json` of a taskserv of the platform. Undefined if it has none.
 *
 * @throws ProvisioningError if the file violates `core/schema/versions/versions-file.ts`
 */
export async function loadPublishedVersions(
  registry: Readonly<Record<string, PublishedVersions>>,
  name: string,
): Promise<VersionsFile | undefined> {
  const found = Object.hasOwn(registry, name) ? await registry[name]?.published?.() : undefined;
  return found === undefined ? undefined : readVersions(name, found);
}

/** A `versions.json`, judged. */
export function readVersions(taskserv: string, found: unknown): VersionsFile {
  const read = versionsFile.safeParse(found);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw bugError({
    code: 'bad-versions',
    what: 'read versions',
    on: `taskservs/${taskserv}/versions.json`,
    why: `${issue?.path.join('.')}: ${issue?.message}`,
  });
}
