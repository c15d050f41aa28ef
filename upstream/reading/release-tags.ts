import * as z from 'zod';
import { isStable } from './stable-version.js';

const releases = z
  .array(
    z.object({
      tag_name: z.string().max(300),
      draft: z.boolean().default(false),
      prerelease: z.boolean().default(false),
      published_at: z.string().nullish(),
    }),
  )
  .max(1_000);

/** Version that its vendor lists, with its release day if known. */
export interface ListedVersion {
  version: string;
  released?: string;
}

/**
 * Returns the released versions in a page of the GitHub, Forgejo or Gitea API, in its order; undefined for other pages.
 *
 * @param tag template of a tag: `v{version}`
 */
export function releaseTags(page: unknown, tag: string): ListedVersion[] | undefined {
  const read = releases.safeParse(page);
  if (!read.success) return undefined;
  return read.data.flatMap(({ tag_name, draft, prerelease, published_at }) => {
    const version = draft || prerelease ? undefined : versionIn(tag_name, tag);
    if (version === undefined || !isStable(version)) return [];
    const day = /^\d{4}-\d{2}-\d{2}(?=T)/.exec(published_at ?? '')?.[0];
    return [{ version, ...(day !== undefined && { released: day }) }];
  });
}

/** Returns the text of `{version}`; undefined for other tags, such as tags of another component in the repository. */
function versionIn(name: string, template: string): string | undefined {
  const [before = '', after = ''] = template.split('{version}');
  const fits = name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
  return fits ? name.slice(before.length, name.length - after.length) : undefined;
}
