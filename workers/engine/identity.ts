import { createFile, replaceFile } from '../../home/durable.js';
import type { Home } from '../../home/home.js';
import { formerIdentityOf, identityAt, type SetUp } from '../../home/identity.js';
import { ensureIdentity } from '../../stores/files/identity-file.js';
import type { Ports } from './processes/ports.js';

/**
 * What a home keeps for good: its id, by which clouds know what is this set-up's and from which its
 * task queue comes, and the ports once chosen.
 */
export interface Identity extends SetUp {
  ports?: Ports;
}

/**
 * The home's identity, made at first use. That of a former version is taken over from the engine's folder.
 *
 * @throws inputError `bad-identity` where there is one that cannot be read: another would disown all that exists
 */
export const ensureEngineIdentity = (home: Home): Promise<Identity> => ensureIdentity<Identity>(home);

/** The home's identity, where it has one, also where it lay in a former version. Changes nothing. */
export const readIdentity = async (home: Home): Promise<Identity | undefined> =>
  (await identityAt<Identity>(home.identity)) ?? identityAt<Identity>(formerIdentityOf(home));

/**
 * Gives a home without an identity that of another.
 *
 * @returns whether it had none
 */
export const adoptIdentity = (home: Home, id: string): Promise<boolean> => keep(home, { id }, 'new');

export const rememberPorts = async (home: Home, ports: Ports): Promise<void> =>
  void (await keep(home, { ...(await ensureEngineIdentity(home)), ports }, 'replace'));

/** Of two that make a new one the first counts: answers whether it is this one. */
async function keep(home: Home, identity: Identity, how: 'new' | 'replace'): Promise<boolean> {
  const text = `${JSON.stringify(identity, null, 2)}\n`;
  if (how === 'new') return createFile(home.identity, text);
  await replaceFile(home.identity, text);
  return true;
}
