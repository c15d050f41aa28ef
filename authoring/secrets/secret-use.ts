import { ProvisioningError } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { accountIn } from '../../core/machine/account.js';
import { generatedRef } from '../../core/taskserv/generated-names.js';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { accountsAmong } from '../../secrets/keep-credentials.js';
import type { SecretStore } from '../../stores/secrets.js';
import type { Context } from '../context.js';
import { inventories } from '../request/which-infra.js';

/** An infra that uses a secret, and for what. */
export interface SecretUse {
  infra: string;
  /** `redis on web-1`; of a credential, the servers that it reaches. */
  places: string[];
  /** Those of the services that are installed: what is changed by another value. */
  services: Service[];
}

interface Service {
  server: string;
  taskserv: string;
}

/** Which infras are meant by a secret of a scope. */
interface Whose {
  name: string;
  scope: string;
  infra?: string;
}

/**
 * The infras of the workspace that use a secret, as they were last applied; or why that is not known.
 */
export async function usesOf(
  context: Context,
  store: SecretStore,
  { name, scope, infra }: Whose,
): Promise<{ uses: SecretUse[] } | { why: string }> {
  const found = await askEngine(context);
  if ('why' in found) return found;
  // What an infra has of its own it uses in place of the workspace's, and that in place of the shared one.
  const own = (await store.listScoped(context.workspace)).filter((one) => one.name === name).map((one) => one.infra);
  const isHidden = scope === 'shared' && own.includes(undefined);
  const isMeant = (inventory: Inventory) => (infra ? inventory.infra === infra : !isHidden && !own.includes(inventory.infra));
  const placesIn = scope === 'account' ? serversOfAccount : servicesWith;
  const uses = found.inventories.filter(isMeant).flatMap((inventory) => {
    const places = [...new Set(placesIn(inventory, name))].sort();
    const services = scope === 'account' ? [] : installedWith(inventory, name);
    return places.length > 0 ? [{ infra: inventory.infra, places, services }] : [];
  });
  return { uses };
}

async function askEngine(context: Context): Promise<{ inventories: Inventory[] } | { why: string }> {
  try {
    return { inventories: await inventories(context) };
  } catch (error) {
    if (error instanceof ProvisioningError) return { why: error.details.why };
    throw error;
  }
}

function serversOfAccount({ servers }: Inventory, name: string): string[] {
  const [account] = accountsAmong([name]);
  if (account === undefined) return [];
  const wanted = accountIn(account);
  return Object.values(servers).flatMap((server) => {
    const { provider, account: of } = accountIn(server.provider);
    return provider === wanted.provider && of === wanted.account ? [server.name] : [];
  });
}

/** Whether a configuration refers to a secret, or to a part of it. */
const refersTo = (value: unknown, name: string): boolean =>
  findSecretRefs(value).some((ref) => generatedRef(ref.name).kept === name);

const installedWith = ({ servers }: Inventory, name: string): Service[] =>
  Object.values(servers).flatMap((server) =>
    Object.values(server.services).flatMap(({ taskserv, config }) =>
      refersTo(config, name) ? [{ server: server.name, taskserv }] : [],
    ),
  );

function servicesWith(inventory: Inventory, name: string): string[] {
  const wanted = (inventory.definition?.servers ?? []).flatMap((server) =>
    server.taskservs.flatMap((service) => (refersTo(service, name) ? [`${service.name} on ${server.name}`] : [])),
  );
  return [...installedWith(inventory, name).map(({ server, taskserv }) => `${taskserv} on ${server}`), ...wanted];
}
