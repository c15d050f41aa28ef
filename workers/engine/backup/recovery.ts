import { join } from 'node:path';
import type { NewBackup } from '../../../core/engine/backup.js';
import { quote } from '../../../core/host/shell.js';
import { lastExport } from '../../../encryption/exported-keys.js';
import { createKeyFile, environmentKeys } from '../../../encryption/keys.js';
import type { KmsKind } from '../../../encryption/kms/key-wrapper.js';
import type { Home } from '../../../home/home.js';

/**
 * Requirement to open a copy of keys.json, by the service that wrapped its keys. A copy that a key of this machine
 * wrapped cannot be opened on another machine.
 */
const OPENED_BY: Readonly<Record<Exclude<KmsKind, 'local'>, (env: NodeJS.ProcessEnv) => string>> = {
  age: ({ PROVISIONING_ENCRYPTION_KMS_FILE: file = 'encryption.kmsFile' }) => `the age identity (${file})`,
  'aws-kms': ({ PROVISIONING_ENCRYPTION_KMS_KEY: key = '' }) => `access to the key ${key} of AWS KMS`,
  vault: ({ PROVISIONING_ENCRYPTION_KMS_KEY: key = '' }) => `access to the transit key ${key} of Vault`,
  command: () => 'what the key command (encryption.keyCommand) opens it with',
};

/** Requirements of a backup, and the steps of its restore. */
export type Recovery = Pick<NewBackup, 'complete' | 'hint' | 'restore'> & { note: string };

/**
 * Checks whether a copy of all keys is known to exist outside of the installation, and describes what to keep
 * otherwise.
 *
 * @param current the id of the key that seals the backup
 */
export async function describeRecovery(home: Home, env: NodeJS.ProcessEnv, current: string, archive: string): Promise<Recovery> {
  const file = createKeyFile({ folder: home.encryption, env });
  const [kept, wrappedBy, copy] = await Promise.all([file.read(), file.wrappedBy(), lastExport(home.encryption)]);
  const steps = (first: string) => [first, `provisioning backup restore ${quote(archive)} --yes`, 'provisioning up'];
  const missing = kept.map(({ id }) => id).filter((id) => !copy?.keys.includes(id));
  if (missing.length === 0 && copy) {
    const identity = copy.by === 'recipient' ? ' --identity FILE' : '';
    return {
      complete: true,
      note: `the encryption key ${current} is not in it: keep the recovery copy that was exported to ${copy.file} (${copy.at}) in another place than this backup`,
      restore: steps(`provisioning key import ${quote(copy.file)}${identity}`),
    };
  }
  if (kept.length === 0 && environmentKeys(env).length > 0) {
    return {
      complete: true,
      note: `the encryption key ${current} is not in it: keep the value of PROVISIONING_ENCRYPTION_KEYS, which gives it, in another place than this backup`,
      restore: steps('export PROVISIONING_ENCRYPTION_KEYS=VALUE'),
    };
  }
  const others = wrappedBy.flatMap((kind) => (kind === undefined || kind === 'local' ? [] : [OPENED_BY[kind](env)]));
  const isOpenedElsewhere = !wrappedBy.includes('local');
  const keys = join(home.encryption, 'keys.json');
  const also = others.length > 0 ? ` and ${others.join(' and ')}` : '';
  const instead = isOpenedElsewhere ? `; or keep a copy of ${keys}${also}` : '';
  return {
    complete: false,
    note: `incomplete: no recovery copy of the encryption ${missing.length === 1 ? 'key' : 'keys'} ${missing.join(', ')} has been exported; without it this backup cannot be restored`,
    hint: `provisioning key export FILE writes it, this backup stays as it is; keep FILE in another place than the backup${instead}`,
    restore: steps('provisioning key import FILE'),
  };
}
