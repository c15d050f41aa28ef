import { resolve } from 'node:path';
import { findSopsIdentities } from '../../../authoring/sops/sops-files.js';
import { inputError } from '../../../core/errors.js';
import { readText } from '../../../definition/source/read-text.js';
import type { Lock, Opener } from '../../../encryption/age-text.js';
import { identitiesIn } from '../../../encryption/kms/age.js';
import { MOST_BYTES, readInvitation, type SealedInvitation } from '../../../members/invitation.js';
import type { Session } from '../../program/session.js';
import { promptPassphrase } from '../keys/passphrase.js';

/**
 * Returns the lock of a new invitation: age recipients, or a passphrase that the user enters.
 *
 * @throws inputError `passphrase`
 */
export const chooseLock = async (session: Session, recipients: readonly string[]): Promise<Lock> =>
  recipients.length > 0 ? { recipients } : { passphrase: await promptPassphrase(session, 'new', 'invitation') };

/**
 * Reads an invitation and asks for the passphrase if needed.
 *
 * @param identity a file of age identities; default: the caller's age keys
 * @throws inputError `sealed-file`, `passphrase`, `kms-setting`
 */
export async function openSealedAt(session: Session, path: string, identity?: string) {
  const text = await readText(path, MOST_BYTES);
  if (typeof text !== 'string') throw unreadable(path, text.message, text.suggestion);
  const sealed = await readInvitation(text, path);
  return { text, sealed, opener: () => openerOf(session, sealed, path, identity) };
}

async function openerOf(session: Session, { byPassphrase }: SealedInvitation, path: string, identity?: string): Promise<Opener> {
  if (byPassphrase) return { passphrase: await promptPassphrase(session, 'known', 'invitation') };
  if (identity) return { identities: await identitiesIn(resolve(identity)) };
  const { keys, looked } = await findSopsIdentities(session);
  if (keys.length > 0) return { identities: keys };
  throw unreadable(path, `it is for an age recipient, and no age key was found (${looked.join(', ')})`, '--identity FILE');
}

const unreadable = (on: string, why: string, hint?: string) =>
  inputError({ code: 'sealed-file', what: 'open the sealed file', on, why, ...(hint && { hint }) });
