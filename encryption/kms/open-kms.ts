import { badKmsSetting, type KeyWrapper, KMS_KINDS, type KmsKind, type KmsPlace } from './key-wrapper.js';

/**
 * Returns the service that wraps keys from now on: `encryption.kms`, otherwise a configured command, otherwise a key of
 * this machine.
 *
 * @throws inputError `kms-setting`
 */
export function kmsKindOf(env: NodeJS.ProcessEnv): KmsKind {
  const named = env.PROVISIONING_ENCRYPTION_KMS;
  if (!named) return env.PROVISIONING_KEY_COMMAND ? 'command' : 'local';
  const kind = KMS_KINDS.find((one) => one === named);
  if (kind) return kind;
  throw badKmsSetting('encryption.kms', `"${named}" is not a key service`, `one of ${KMS_KINDS.join(', ')}`);
}

/** Opens a service of a kind from the settings, without a request. @throws inputError `kms-setting` */
export async function openKms(kind: KmsKind, place: KmsPlace): Promise<KeyWrapper> {
  return (await LOADERS[kind]()).openKms(place);
}

const LOADERS: Readonly<Record<KmsKind, () => Promise<{ openKms(place: KmsPlace): KeyWrapper }>>> = {
  local: () => import('./local.js'),
  age: () => import('./age.js'),
  'aws-kms': () => import('./aws-kms.js'),
  vault: () => import('./vault.js'),
  command: () => import('./command.js'),
};
