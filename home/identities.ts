import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { quote } from '../core/host/shell.js';

/** The private keys that definitions may name unless the user says others. */
export const DEFAULT_IDENTITIES = '~/.ssh/*';

/** Why definitions may not name a private key, and what the user does to allow it. */
export interface ForbiddenKey {
  why: string;
  hint: string;
}

/**
 * Says why no definition may name a private key at a path; nothing if one may. A definition may be a stranger's, and so
 * may every folder and link that it names: a key counts by where it is, without links on the way.
 *
 * @param list paths, comma-separated; one that ends in `/*` stands for all files right in that folder
 */
export async function findForbiddenKey(path: string, list = DEFAULT_IDENTITIES): Promise<ForbiddenKey | undefined> {
  const wanted = await placesOf(path);
  for (const one of list.split(',')) {
    const entry = expanded(one.trim());
    if (entry === '') continue;
    const isFolder = entry.endsWith('/*');
    const allowed = isFolder ? [await realOf(entry.slice(0, -2))] : await placesOf(entry);
    // A file of an allowed folder may be a link: whoever may place it there is the user.
    if (wanted.some((place) => allowed.includes(isFolder ? dirname(place) : place))) return undefined;
  }
  return { why: 'definitions must not use this private key', hint: hintFor(path, list) };
}

/** The path is a stranger's and the hint is pasted into a shell: it adds this one key to the list, and nothing else. */
const hintFor = (path: string, list: string): string =>
  path.includes(',') || path.endsWith('/*')
    ? 'name a key whose path has no comma and does not end in /*'
    : `provisioning config set worker.identities ${quote([list, path].filter(Boolean).join(','))}`;

const expanded = (path: string): string => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);

const realOf = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

/** Where a path is: with the links of its folders followed, and with its own. */
async function placesOf(path: string): Promise<string[]> {
  const own = resolve(path);
  return [join(await realOf(dirname(own)), basename(own)), await realOf(own)];
}
