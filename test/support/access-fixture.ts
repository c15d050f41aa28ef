import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDispatcher } from '../../app/dispatch.js';
import type { Engine } from '../../app/engine.js';
import type { Call } from '../../app/method.js';
import { createOwner, type Principal } from '../../app/principal.js';
import { type Client, clientOver } from '../../client/client.js';
import { ensureKey } from '../../encryption/keys.js';
import { type Home, homeOf } from '../../home/home.js';
import { openStores } from '../../stores/open-stores.js';
import type { Stores } from '../../stores/stores.js';

/** Stores of a separate home, and the platform on top of them. */
export interface AccessFixture {
  stores: Stores;
  home: Home;
  /** Returns a client that acts as a principal; by default the owner. */
  as(principal?: Principal, more?: Partial<Call>): Client;
  remove(): Promise<void>;
}

export async function openFixture(): Promise<AccessFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'access-'));
  const home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
  await ensureKey({ folder: home.encryption, env: { HOME: home.root }, setUp: async () => 'cafe' });
  const stores = await openStores(home, { HOME: home.root });
  const engine = { stores } as unknown as Engine;
  return {
    stores,
    home,
    as(principal = createOwner('ann@desk'), more = {}) {
      const dispatcher = createDispatcher({ engine, principal, checksAnswers: true, ...more });
      return clientOver({ ...dispatcher, close: async () => {} });
    },
    async remove() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
}
