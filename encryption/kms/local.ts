import { existsSync } from 'node:fs';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { createCipher } from '../cipher.js';
import { loadKeyring } from '../keyring.js';
import type { KeyWrapper, KmsPlace } from './key-wrapper.js';
import { ensureLocalKey, localKeyPath, readLocalKeys } from './local-keys.js';

/** Creates a wrapper with a key of this machine, in a file outside of the home or in a systemd credential. */
export function openKms(place: KmsPlace): KeyWrapper {
  const path = localKeyPath(place);
  const context = `wrapped key of ${place.setUp}`;
  const cipher = async () => createCipher(await loadKeyring(() => readLocalKeys(place)));
  return {
    kind: 'local',
    name: path,
    async wrap(key) {
      if ((await readLocalKeys(place)).length === 0) await ensureLocalKey(place);
      return (await cipher()).seal(key, context).toString('base64');
    },
    async unwrap(wrapped) {
      try {
        return await (await cipher()).open(Buffer.from(wrapped, 'base64'), context);
      } catch (error) {
        throw ofLocal(error, path, place.setUp);
      }
    },
  };
}

const REMEDY =
  'provisioning key import FILE, with the recovery copy; on a second machine use a key service: provisioning config set encryption.kms';

/** Converts the cipher's errors about payloads to errors about keys. */
function ofLocal(error: unknown, path: string, setUp: string): unknown {
  const code = error instanceof ProvisioningError ? error.details.code : undefined;
  const bad = (why: string) =>
    inputError({ code: 'key-file', what: 'unwrap the encryption key', on: path, why, hint: REMEDY }, { cause: error });
  if (code === 'no-encryption-key' || (code === 'unknown-encryption-key' && !existsSync(path)))
    return bad(`the wrapping key of the set-up ${setUp} is not on this machine`);
  if (code === 'unknown-encryption-key') return bad('the keys are wrapped by another key than the one there');
  if (code === 'sealed-altered' || code === 'not-sealed') return bad('the wrapped key was altered, or belongs to another set-up');
  return error;
}
