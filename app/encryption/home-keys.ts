import { encryptionStatus } from '../../encryption/encryption-status.js';
import type { KeyPlace } from '../../encryption/keys.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { keyPlaceIn } from '../../stores/files/key-place.js';
import { rewrapKeys } from '../../stores/files/rewrap-keys.js';
import { rotateKey } from '../../stores/files/rotate-key.js';
import type { Engine } from '../engine.js';
import { homeOfEngine } from '../home-of-engine.js';

async function placeOf(engine: Engine): Promise<KeyPlace> {
  const { home, env } = homeOfEngine(engine);
  return keyPlaceIn(home, await resolveEnvironment(home, env));
}

/** The keys of the home by their ids, and the service that wraps them. @throws inputError `no-encryption-key`, `key-file` */
export async function statusOfKeys(engine: Engine) {
  const { wrappedBy, keys, ...status } = await encryptionStatus(await placeOf(engine));
  return {
    ...status,
    wrappedBy: wrappedBy.map((kind) => kind ?? ('plain' as const)),
    keys: keys.map(({ since, ...key }) => ({ ...key, ...(since !== undefined && { since }) })),
  };
}

/** Makes a new current key. @throws inputError `keys-from-environment`, `former-home` */
export async function rotateHomeKey(engine: Engine) {
  const { id, source, former } = await rotateKey(homeOfEngine(engine).home, await placeOf(engine));
  return { key: id, source, ...(former !== undefined && { former }) };
}

/** Wraps all keys by the service of the settings. @throws inputError `former-home`; as the key service */
export async function rewrapHomeKeys(engine: Engine) {
  const { kms, keys, isOther } = await rewrapKeys(homeOfEngine(engine).home, await placeOf(engine));
  return { kms, keys, ...(isOther && { restart: true as const }) };
}
