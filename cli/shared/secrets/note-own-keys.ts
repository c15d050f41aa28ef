import { ageRecipients } from '../../../authoring/sops/age-keys.js';
import type { Session } from '../../program/session.js';

/** Says where an encrypted file can be opened by others alone: whoever wrote it may not have meant that. */
export async function noteOwnKeys(session: Session, recipients: readonly string[]): Promise<void> {
  const { recipients: own } = await ageRecipients(session);
  if (!recipients.some((one) => own.includes(one))) session.note('note: none of your age keys opens it (provisioning key list)');
}
