import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** The private keys that definitions may name unless the user says others. */
const DEFAULT_IDENTITIES = '~/.ssh/*';

/**
 * Says why no definition may name a private key at a path; nothing if one may. A definition may be a stranger's, and so
 * may every folder and link that it names: a key counts by where it is, without links on the way.
 *
 * @param list paths, comma-separated; one that ends in `/*` stands for all files right in that folder
 * @returns a reason in words, for an error
 */
export async function whyNotAllowed(path: string, list: string | undefined): Promise<string | undefined> {
  const wanted = await placesOf(path);
  for (const one of (list ?? DEFAULT_IDENTITIES).split(',')) {
    const entry = expanded(one.trim());
    if (entry === '') continue;
    const isFolder = entry.endsWith('/*');
    const allowed = isFolder ? [await realOf(entry.slice(0, -2))] : await placesOf(entry);
    // A file of an allowed folder may be a link: whoever may place it there is the user.
    if (wanted.some((place) => allowed.includes(isFolder ? dirname(place) : place))) return undefined;
  }
  return 'definitions may not name this private key';
}

/** What the user does to allow a key. */
export const allowHint = (path: string): string => `provisioning config set worker.identities '${DEFAULT_IDENTITIES},${path}'`;

const expanded = (path: string): string => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);

const realOf = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

/** Where a path is: with the links of its folders followed, and with its own. */
async function placesOf(path: string): Promise<string[]> {
  const own = resolve(path);
  return [join(await realOf(dirname(own)), basename(own)), await realOf(own)];
}
