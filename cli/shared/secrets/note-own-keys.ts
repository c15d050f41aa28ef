import { ageRecipients } from '../../../authoring/sops/age-keys.js';
import type { Session } from '../../program/session.js';

/** Prints a note if the user cannot open an encrypted file, which may not be intended. */
export async function noteOwnKeys(session: Session, recipients: readonly string[]): Promise<void> {
  const { recipients: own } = await ageRecipients(session);
  if (!recipients.some((one) => own.includes(one))) session.note('note: none of your age keys opens it (provisioning key list)');
}
