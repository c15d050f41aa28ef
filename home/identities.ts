import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { quote } from '../core/host/shell.js';

/** Private keys that definitions may name by default. */
export const DEFAULT_IDENTITIES = '~/.ssh/*';

/** Reason why definitions may not name a private key, with the change that would allow it. */
export interface ForbiddenKey {
  why: string;
  hint: string;
}

/**
 * Returns why no definition may name the private key at a path; undefined if one may. Definitions may be untrusted,
 * with all folders and links that they name. Therefore a key is compared by its real path, without links.
 *
 * @param list paths, comma-separated; a path that ends in `/*` allows all files directly in that folder
 */
export async function findForbiddenKey(path: string, list = DEFAULT_IDENTITIES): Promise<ForbiddenKey | undefined> {
  const wanted = await placesOf(path);
  for (const one of list.split(',')) {
    const entry = expanded(one.trim());
    if (entry === '') continue;
    const isFolder = entry.endsWith('/*');
    const allowed = isFolder ? [await realOf(entry.slice(0, -2))] : await placesOf(entry);
    // A file of an allowed folder may be a link: only the user can create it there.
    if (wanted.some((place) => allowed.includes(isFolder ? dirname(place) : place))) return undefined;
  }
  return { why: 'definitions must not use this private key', hint: hintFor(path, list) };
}

/** Returns a command that adds only this key to the list. The path is untrusted and the hint is pasted into a shell. */
const hintFor = (path: string, list: string): string =>
  path.includes(',') || path.endsWith('/*')
    ? 'name a key whose path has no comma and does not end in /*'
    : `provisioning config set worker.identities ${quote([list, path].filter(Boolean).join(','))}`;

const expanded = (path: string): string => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);

const realOf = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

/** Returns the real paths of a path: with the links of its folders followed, and also with its own link followed. */
async function placesOf(path: string): Promise<string[]> {
  const own = resolve(path);
  return [join(await realOf(dirname(own)), basename(own)), await realOf(own)];
}
