import { armor, Decrypter, Encrypter } from 'age-encryption';
import { SopsFault } from '../fault.js';
import type { AgeEntry, Metadata } from '../metadata.js';

const KEY_BYTES = 32;

/** Age keys that were found, and the searched places. */
export interface Identities {
  /** Secret keys, in age's format. */
  keys: readonly string[];
  /** Searched places, as text for the error. */
  looked: readonly string[];
}

/**
 * Opens the data key of a file.
 *
 * @throws SopsFault `sops-key` if no key opens it, `sops-unsupported` if the file is not encrypted for age
 */
export async function openDataKey({ age, services }: Metadata, { keys, looked }: Identities): Promise<Buffer> {
  const others = services.length > 0 ? `; ${services.join(', ')} could, which is not asked here` : '';
  if (age.length === 0) {
    const why =
      services.length > 0
        ? `only ${services.join(', ')} opens it, and only files for age keys are supported`
        : 'the file has no keys';
    throw new SopsFault('sops-unsupported', why, 'add an age recipient to it by sops: sops rotate -i --add-age RECIPIENT FILE');
  }
  const recipients = `it is for ${listed(age.map(({ recipient }) => recipient))}`;
  if (keys.length === 0)
    throw new SopsFault('sops-key', `there is no age key here: ${recipients}${others}`, `put one into ${looked.join(', or ')}`);
  for (const { enc } of age) {
    const found = await decryptedBy(keys, enc);
    if (found?.length === KEY_BYTES) return found;
  }
  throw new SopsFault(
    'sops-key',
    `no age key here opens it: ${recipients}${others}`,
    'ask who has such a key to add yours: provisioning secret recipients FILE --add RECIPIENT',
  );
}

async function decryptedBy(keys: readonly string[], enc: string): Promise<Buffer | undefined> {
  try {
    const decrypter = new Decrypter();
    for (const key of keys) decrypter.addIdentity(key);
    return Buffer.from(await decrypter.decrypt(armor.decode(enc)));
  } catch {
    // This entry is for another key, or damaged: another recipient's entry may work.
    return undefined;
  }
}

/** Encrypts the data key for each recipient. @throws SopsFault `sops-rule` for an invalid recipient */
export const wrapDataKey = (key: Buffer, recipients: readonly string[]): Promise<AgeEntry[]> =>
  Promise.all(
    recipients.map(async (recipient) => {
      const encrypter = new Encrypter();
      try {
        encrypter.addRecipient(recipient);
      } catch {
        const kind = recipient.startsWith('ssh-') ? 'an SSH key, which is not supported' : 'no age recipient';
        throw new SopsFault(
          'sops-rule',
          `"${recipient.slice(0, 80)}" is ${kind}`,
          'write a recipient as age1…; provisioning key generate prints one',
        );
      }
      return { recipient, enc: `${armor.encode(await encrypter.encrypt(key)).trimEnd()}\n` };
    }),
  );

const listed = (texts: readonly string[]): string =>
  `${texts.slice(0, 5).join(', ')}${texts.length > 5 ? ` and ${texts.length - 5} more` : ''}`;
