import { createFile, replaceFile } from '../../home/durable.js';
import type { Home } from '../../home/home.js';
import { formerIdentityOf, identityAt, type SetUp } from '../../home/identity.js';
import { ensureIdentity } from '../../stores/files/identity-file.js';
import type { Ports } from './processes/ports.js';

/**
 * Permanent data of a home. They are its id, which labels its resources at clouds and names its task queue, and its
 * chosen ports.
 */
export interface Identity extends SetUp {
  ports?: Ports;
}

/**
 * Returns the home's identity, and creates it at first use. The identity of a former version is taken from the
 * engine's folder.
 *
 * @throws inputError `bad-identity` if it cannot be read: with a new identity, all existing resources would be lost
 */
export const ensureEngineIdentity = (home: Home): Promise<Identity> => ensureIdentity<Identity>(home);

/** Returns the home's identity, if it has one, even from a former version's place. Changes nothing. */
export const readIdentity = async (home: Home): Promise<Identity | undefined> =>
  (await identityAt<Identity>(home.identity)) ?? identityAt<Identity>(formerIdentityOf(home));

/**
 * Gives a home without an identity the identity of another home.
 *
 * @returns whether it had none
 */
export const adoptIdentity = (home: Home, id: string): Promise<boolean> => keep(home, { id }, 'new');

export const rememberPorts = async (home: Home, ports: Ports): Promise<void> =>
  void (await keep(home, { ...(await ensureEngineIdentity(home)), ports }, 'replace'));

/** Stores an identity. If two processes create one, the first counts: returns whether this process was first. */
async function keep(home: Home, identity: Identity, how: 'new' | 'replace'): Promise<boolean> {
  const text = `${JSON.stringify(identity, null, 2)}\n`;
  if (how === 'new') return createFile(home.identity, text);
  await replaceFile(home.identity, text);
  return true;
}
