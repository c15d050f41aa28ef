import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { inputError } from '../../core/errors.js';
import { createFile } from '../../home/durable.js';
import { makePrivate } from '../../home/private-folder.js';
import { deriveRecipients } from '../../sops/age/identities.js';
import type { Context } from '../context.js';
import { findSopsIdentities } from './sops-files.js';

/**
 * Creates an age key in a file that only its owner can read.
 *
 * @param file default: the key file of the set-up, which is searched automatically.
 * @param add whether to append to a file that already has keys.
 * @throws inputError `age-key` if the file has a key already
 */
export async function makeAgeKey(
  { home }: Context,
  { file = home.ageKeys, add = false } = {},
): Promise<{ file: string; recipient: string }> {
  if (file === home.ageKeys) await makePrivate(dirname(file));
  const key = await generateIdentity();
  const recipient = await identityToRecipient(key);
  const text = `# created: ${new Date().toISOString()}\n# public key: ${recipient}\n${key}\n`;
  if (add && existsSync(file)) await appendFile(file, text);
  else if (!(await createFile(resolve(file), text))) {
    const hint = 'provisioning key generate --add adds another key';
    throw inputError({ code: 'age-key', what: 'make an age key', on: file, why: 'the file already has a key', hint });
  }
  return { file, recipient };
}

/** Returns the recipients of the caller's age keys, and the searched locations. */
export async function ageRecipients(context: Context): Promise<{ recipients: string[]; looked: readonly string[] }> {
  const { keys, looked } = await findSopsIdentities(context);
  return { recipients: await deriveRecipients(keys), looked };
}
