import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError } from '../../core/errors.js';
import type { Home } from '../../home/home.js';
import { createFile, replaceFile } from '../../stores/files/durable.js';
import type { Ports } from './processes/ports.js';

/**
 * What a home keeps for good: its id, by which clouds know what is this set-up's and from which its
 * task queue comes, and the ports once chosen.
 */
export interface Identity {
  id: string;
  ports?: Ports;
}

/** Where it was while it lay beside the engine's database. */
const formerPath = (home: Home) => join(home.engine, 'identity.json');

/**
 * The home's identity, made at first use. That of a former version is taken over from the engine's folder.
 *
 * @throws inputError `bad-identity` where there is one that cannot be read: another would disown all that exists
 */
export async function identityOf(home: Home): Promise<Identity> {
  const known = await read(home.identity);
  if (known) return known;
  const made: Identity = (await read(formerPath(home))) ?? { id: randomBytes(4).toString('hex') };
  await keep(home, made, 'new');
  return (await read(home.identity)) ?? made;
}

/** The home's identity, where it has one, also where it lay in a former version. Changes nothing. */
export const readIdentity = async (home: Home): Promise<Identity | undefined> =>
  (await read(home.identity)) ?? read(formerPath(home));

/**
 * Gives a home without an identity that of another.
 *
 * @returns whether it had none
 */
export const adoptIdentity = (home: Home, id: string): Promise<boolean> => keep(home, { id }, 'new');

export const rememberPorts = async (home: Home, ports: Ports): Promise<void> =>
  void (await keep(home, { ...(await identityOf(home)), ports }, 'replace'));

async function read(path: string): Promise<Identity | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const found = JSON.parse(text) as Identity;
    if (typeof found.id === 'string' && found.id !== '') return found;
  } catch {
    // Told below.
  }
  const why = 'it does not say which set-up this is';
  const hint = "restore it from a backup (provisioning backup restore): with another identity nothing in clouds is this set-up's";
  throw inputError({ code: 'bad-identity', what: 'read the identity of the set-up', on: path, why, hint });
}

/** Of two that make a new one the first counts: answers whether it is this one. */
async function keep(home: Home, identity: Identity, how: 'new' | 'replace'): Promise<boolean> {
  const text = `${JSON.stringify(identity, null, 2)}\n`;
  if (how === 'new') return createFile(home.identity, text);
  await replaceFile(home.identity, text);
  return true;
}
