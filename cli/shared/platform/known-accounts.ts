import { addOwnAccounts } from '../../../authoring/catalog/provider-account.js';
import { askPlatform } from '../../../client/ask-platform.js';
import type { Session } from '../../program/session.js';

/** The providers of the platform, with all accounts that the platform or this command has credentials for. */
export async function listKnownAccounts(session: Session) {
  const listed = await askPlatform(session, 'providers', (providers) => providers.list({}));
  // A worker of a former build does not say which accounts it knows.
  return addOwnAccounts(
    session,
    listed.map((one) => ({ ...one, accounts: one.accounts ?? [] })),
  );
}
