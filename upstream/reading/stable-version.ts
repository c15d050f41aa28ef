import { newestFirst } from '../../core/versions/newest-first.js';

/**
 * Form of a released version: numbers, optionally a letter, an OpenSSH patch level or a build. Everything else (`-rc1`,
 * `~beta`, `b2`, a date with words) is a pre-release or unknown, and is never proposed.
 */
const STABLE = /^\d{1,10}(?:\.\d{1,10}){0,5}(?:[a-z]|pl?\d{1,5})?(?:\+[0-9A-Za-z.]{1,40})?$/;

/**
 * Reports whether a version is a released version. Others may contain anything, even control characters, and are
 * dropped.
 */
export const isStable = (version: string): boolean => STABLE.test(version);

/** Returns the distinct released versions among texts, newest first. A `v` before the number is removed. */
export function stableVersions(texts: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    const version = text.replace(/^v(?=\d)/, '');
    if (isStable(version)) found.add(version);
  }
  return [...found].sort(newestFirst);
}
