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

/** A version that its vendor lists, and the day on which it was released, where that is told. */
export interface ListedVersion {
  version: string;
  released?: string;
}

/**
 * The released versions of a page of GitHub's, Forgejo's or Gitea's API, in its order; undefined where it is no such page.
 *
 * @param tag what a tag looks like: `v{version}`
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

/** What stands for `{version}`; undefined where a tag is of another form, such as that of another part of the repository. */
function versionIn(name: string, template: string): string | undefined {
  const [before = '', after = ''] = template.split('{version}');
  const fits = name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
  return fits ? name.slice(before.length, name.length - after.length) : undefined;
}
