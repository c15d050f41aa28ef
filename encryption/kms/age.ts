import { readFile, stat } from 'node:fs/promises';
import { messageOf } from '../../core/errors.js';
import { badKmsSetting, type KeyWrapper, type KmsPlace, keyBytes, serviceRefuses } from './key-wrapper.js';

const RECIPIENTS = 'encryption.kmsKey';
const IDENTITY = 'encryption.kmsFile';

/** Creates a wrapper for age recipients: each recipient's identity opens the keys. */
export function openKms({ setUp, env }: KmsPlace): KeyWrapper {
  const recipients = (env.PROVISIONING_ENCRYPTION_KMS_KEY ?? '').split(/[\s,]+/).filter(Boolean);
  const name = `age ${recipients.join(', ')}`;
  return {
    kind: 'age',
    name,
    async wrap(key) {
      if (recipients.length === 0) throw badKmsSetting(RECIPIENTS, 'it names no age recipient', 'age-keygen -y IDENTITY-FILE');
      const { Encrypter } = await import('age-encryption');
      const encrypter = new Encrypter();
      for (const recipient of recipients) {
        try {
          encrypter.addRecipient(recipient);
        } catch (error) {
          throw badKmsSetting(RECIPIENTS, `"${recipient}" is not an age recipient (${messageOf(error)})`, 'age1…');
        }
      }
      // age authenticates only the recipients, so the set-up is part of the content.
      return Buffer.from(await encrypter.encrypt(`${setUp} ${key.toString('base64')}`)).toString('base64');
    },
    async unwrap(wrapped) {
      const [whose, key = ''] = (await opened(wrapped, env)).split(' ');
      if (whose === setUp) return keyBytes(key, name);
      throw serviceRefuses('unwrap', name, `it was wrapped for another set-up than ${setUp}`);
    },
  };
}

async function opened(wrapped: string, env: NodeJS.ProcessEnv): Promise<string> {
  const path = env.PROVISIONING_ENCRYPTION_KMS_FILE;
  if (!path)
    throw badKmsSetting(
      IDENTITY,
      'no identity file is named, and keys are wrapped by age',
      'AGE-SECRET-KEY-1… in a file, mode 600',
    );
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of await identitiesIn(path)) decrypter.addIdentity(identity);
  try {
    return await decrypter.decrypt(Buffer.from(wrapped, 'base64'), 'text');
  } catch (error) {
    throw serviceRefuses('unwrap', path, `no identity there opens it (${messageOf(error)})`, 'use the identity of a recipient');
  }
}

/**
 * Returns the identities in a private file.
 *
 * @throws inputError `kms-setting`
 */
export async function identitiesIn(path: string): Promise<string[]> {
  const found = await stat(path).catch((error) => {
    throw badKmsSetting(path, messageOf(error));
  });
  if (found.mode & 0o077)
    throw badKmsSetting(path, `others may read or write it (mode ${(found.mode & 0o777).toString(8)})`, `chmod 600 ${path}`);
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  // The content is secret, so the error does not quote it.
  if (identities.length > 0 && identities.every((line) => /^AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]+$/.test(line))) return identities;
  throw badKmsSetting(path, 'it is not a file of age identities', 'age-keygen -o FILE');
}
