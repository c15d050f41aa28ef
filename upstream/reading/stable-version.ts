import { newestFirst } from '../../core/versions/newest-first.js';

/**
 * What a version looks like that its vendor has released: numbers, perhaps a letter or a patch level as OpenSSH has it,
 * perhaps a build. Everything else (`-rc1`, `~beta`, `b2`, a date with words) is a pre-release or not understood, and is
 * never proposed.
 */
const STABLE = /^\d{1,10}(?:\.\d{1,10}){0,5}(?:[a-z]|pl?\d{1,5})?(?:\+[0-9A-Za-z.]{1,40})?$/;

/** Whether a version is a released one. What is not may hold anything, control characters too: it is dropped. */
export const isStable = (version: string): boolean => STABLE.test(version);

/** The released ones among texts, each once, newest first. A `v` before the number is not part of it. */
export function stableVersions(texts: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    const version = text.replace(/^v(?=\d)/, '');
    if (isStable(version)) found.add(version);
  }
  return [...found].sort(newestFirst);
}
