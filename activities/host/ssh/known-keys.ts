import { listWrittenKeys } from '../../../core/definition/written-keys.js';
import { inputError } from '../../../core/errors.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import { type KeyOwner, type KeyStore, nextKeyName } from '../../../stores/keys.js';

/**
 * The keys that there are, for connections that change nothing: no key is made, and no host key is pinned.
 *
 * @param servers whose definition may say their host keys
 * @throws from its functions, inputError `infra-key-gone`, `host-key-unknown`
 */
export async function readKnownKeys(
  keys: KeyStore,
  owner: KeyOwner,
  servers: readonly Pick<InventoryServer, 'spec'>[],
): Promise<KeyStore> {
  const written = new Map(servers.flatMap(({ spec }) => listWrittenKeys(spec).map(({ name, key }) => [name, key] as const)));
  const hasKey = (await keys.infras(owner.workspace)).includes(owner.infra);
  return {
    ...keys,
    async infraKey(of) {
      if (hasKey) return keys.infraKey(of);
      throw inputError({ code: 'infra-key-gone', what: 'log in', on: of.infra, why: 'the store has no key of this infra' });
    },
    async pinned(of, name) {
      const known = written.get(name) ?? (await keys.pinned(of, name));
      if (known !== undefined || name.startsWith(nextKeyName(''))) return known;
      throw inputError({
        code: 'host-key-unknown',
        what: 'check the host key',
        on: name,
        why: 'the store has no host key of the server, so its identity cannot be checked',
        hint: 'write its hostKey into the definition',
      });
    },
    pin: async () => {},
  };
}
