import { addOwnAccounts } from '../../../authoring/catalog/provider-account.js';
import { askPlatform } from '../../../client/ask-platform.js';
import type { Session } from '../../program/session.js';

/** Returns the providers of the platform with all accounts whose credentials the platform or this command has. */
export async function listKnownAccounts(session: Session) {
  const listed = await askPlatform(session, 'providers', (providers) => providers.list({}));
  // A worker of an older build does not return its known accounts.
  return addOwnAccounts(
    session,
    listed.map((one) => ({ ...one, accounts: one.accounts ?? [] })),
  );
}
