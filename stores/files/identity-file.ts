import { randomBytes } from 'node:crypto';
import { createFile } from '../../home/durable.js';
import type { Home } from '../../home/home.js';
import { formerIdentityOf, identityAt, type SetUp } from '../../home/identity.js';

/**
 * The home's identity, made at first use. That of a former version is taken over from the engine's folder.
 *
 * @throws inputError `bad-identity` where there is one that cannot be read: another would disown all that exists
 */
export async function ensureIdentity<Kept extends SetUp = SetUp>(home: Pick<Home, 'identity' | 'engine'>): Promise<Kept> {
  const known = await identityAt<Kept>(home.identity);
  if (known) return known;
  const made = (await identityAt<Kept>(formerIdentityOf(home))) ?? { id: randomBytes(4).toString('hex') };
  // Of two that make a new one the first counts.
  await createFile(home.identity, `${JSON.stringify(made, null, 2)}\n`);
  return (await identityAt<Kept>(home.identity)) ?? (made as Kept);
}
