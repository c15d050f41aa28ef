import { randomBytes } from 'node:crypto';
import { createFile } from '../../home/durable.js';
import type { Home } from '../../home/home.js';
import { formerIdentityOf, identityAt, type SetUp } from '../../home/identity.js';

/**
 * Returns the home's identity, and creates it at first use. The identity of a former version is taken from the
 * engine's folder.
 *
 * @throws inputError `bad-identity` if it cannot be read: with a new identity, all existing resources would be lost
 */
export async function ensureIdentity<Kept extends SetUp = SetUp>(home: Pick<Home, 'identity' | 'engine'>): Promise<Kept> {
  const known = await identityAt<Kept>(home.identity);
  if (known) return known;
  const made = (await identityAt<Kept>(formerIdentityOf(home))) ?? { id: randomBytes(4).toString('hex') };
  // If two processes create the identity, the first one counts.
  await createFile(home.identity, `${JSON.stringify(made, null, 2)}\n`);
  return (await identityAt<Kept>(home.identity)) ?? (made as Kept);
}
