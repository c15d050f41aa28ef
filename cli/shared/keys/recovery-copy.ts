import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { inputError, messageOf } from '../../../core/errors.js';
import { identitiesIn } from '../../../encryption/kms/age.js';
import { openRecoveryCopy, type RecoveryCopy } from '../../../encryption/recovery-copy.js';
import type { Session } from '../../program/session.js';
import { promptPassphrase } from './passphrase.js';

/** Maximum bytes. A copy with a hundred keys has about twenty thousand. */
const MOST = 1024 * 1024;

/**
 * Returns the content of a recovery copy. It is opened with an age identity or with the passphrase that the user
 * enters.
 *
 * @throws inputError `recovery-copy`, `passphrase`
 */
export async function recoveryCopyAt(session: Session, file: string, identity?: string): Promise<RecoveryCopy> {
  const path = resolve(file);
  const text = await textAt(path);
  const identities = identity ? await identitiesIn(resolve(identity)) : undefined;
  const opener = identities ? { identities } : { passphrase: await promptPassphrase(session, 'known', 'recovery copy') };
  return openRecoveryCopy(text, opener, path);
}

async function textAt(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error) => {
    throw bad(path, messageOf(error));
  });
  if (bytes.length > MOST) throw bad(path, 'it is larger than a recovery copy can be');
  return bytes.toString('utf8');
}

const bad = (on: string, why: string) => inputError({ code: 'recovery-copy', what: 'open the recovery copy', on, why });
