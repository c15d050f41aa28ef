import { openRows, type RowStores } from '../open-rows.js';
import type { Principal } from '../principal.js';
import { nameCaller } from './name-caller.js';
import { rolesAllow } from './roles.js';
import { findAccount, HOME_TENANT, listBindings } from './service-accounts.js';

/**
 * Returns a service account as a principal without a token, for programs that the platform's owner runs on its
 * machine. Each decision reads the roles of the account, so that a revoked role takes effect at once. An account that
 * was deleted, or created again under its name, may do nothing.
 *
 * @throws inputError `unknown-service-account`, and the errors of the store
 */
export async function actAsAccount(stores: RowStores, name: string): Promise<Principal> {
  const what = 'act as the service account';
  const { id } = await findAccount(await openRows(stores, what), { tenant: HOME_TENANT, name }, what);
  return {
    actor: nameCaller(name),
    recorded: { tenant: HOME_TENANT, account: id, name },
    async may(action, resource) {
      const rows = await openRows(stores, what);
      const account = await findAccount(rows, { tenant: HOME_TENANT, name }, what).catch(() => undefined);
      return (
        account?.id === id && resource.tenant === HOME_TENANT && rolesAllow(await listBindings(rows, { id }), action, resource)
      );
    },
  };
}
