import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKey } from '../../../encryption/keys.js';
import { type Home, homeOf } from '../../../home/home.js';

/** Homes with a separate key each, in one place. */
export interface Homes {
  place: string;
  named(name: string): Promise<Home>;
  remove(): Promise<void>;
}

export async function storeHomes(): Promise<Homes> {
  const place = await mkdtemp(join(tmpdir(), 'stores-'));
  return {
    place,
    async named(name) {
      const one = homeOf({ PROVISIONING_HOME: join(place, name) });
      await ensureKey({ folder: one.encryption, env: {}, setUp: async () => 'cafe' });
      return one;
    },
    remove: () => rm(place, { recursive: true, force: true }),
  };
}
