import { inputError } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { accountIn, accountsAmong } from '../../core/machine/account.js';
import { parseGeneratedName } from '../../core/taskserv/generated-names.js';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { queryInfras, queryInventory } from '../infra/entity.js';
import type { Call } from '../method.js';
import type { Principal } from '../principal.js';
import type { ChosenSecret, SecretPlace } from './chosen-secret.js';

/** An infra that uses a secret. */
export interface SecretUse {
  infra: string;
  /** `redis on web-1`; for a credential, the servers of its account. */
  places: string[];
  /** The installed services among them: another value changes these. */
  services: { server: string; taskserv: string }[];
}

/**
 * Finds the infras of the workspace that use a secret, as they were last applied.
 *
 * @param name of the whole secret: a part of a generated pair counts as a use of the pair
 * @param isMeant which parts of a pair count; undefined stands for the whole
 * @throws inputError `forbidden` if all workspaces share the secret, and the principal may not read this one
 */
export async function findSecretUses(
  { engine, principal }: Pick<Call, 'engine' | 'principal'>,
  { workspace, infra }: SecretPlace,
  { store, scope }: ChosenSecret,
  name: string,
  isMeant: (part: string | undefined) => boolean = () => true,
): Promise<SecretUse[]> {
  if (scope === 'shared' || scope === 'account') await checkMayRead(principal, workspace);
  const names = await queryInfras(engine, workspace);
  const found = await Promise.all(names.map((one) => queryInventory(engine, { workspace, infra: one })));
  // If a name exists in several scopes, an infra uses its own secret first, then the workspace's, then the shared one.
  const own = (await store.listScoped(workspace)).filter((one) => one.name === name).map((one) => one.infra);
  const isHidden = scope === 'shared' && own.includes(undefined);
  const isAsked = (one: Inventory) => (infra ? one.infra === infra : !isHidden && !own.includes(one.infra));
  const refers: RefersTo = (config) => findSecretRefs(config).some((ref) => isRefTo(ref.name, name, isMeant));
  return found.flatMap((inventory) => {
    if (!inventory || !isAsked(inventory)) return [];
    const services = scope === 'account' ? [] : installedWith(inventory, refers);
    const places = scope === 'account' ? serversOfAccount(inventory, name) : placesWith(inventory, refers, services);
    return places.length > 0 ? [{ infra: inventory.infra, places: [...new Set(places)].sort(), services }] : [];
  });
}

async function checkMayRead({ actor, may }: Principal, workspace: string): Promise<void> {
  if (await may('infra:read', { type: 'Workspace', id: workspace, tenant: '', workspace })) return;
  const why = `${actor} may not do "infra:read"`;
  throw inputError({ code: 'forbidden', what: 'find the uses of the secret', on: `Workspace ${workspace}`, why });
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

/** Whether a configuration refers to a secret. */
type RefersTo = (config: unknown) => boolean;

function isRefTo(ref: string, name: string, isMeant: (part: string | undefined) => boolean): boolean {
  const { kept, part } = parseGeneratedName(ref);
  return kept === name && isMeant(part);
}

const installedWith = ({ servers }: Inventory, refers: RefersTo): SecretUse['services'] =>
  Object.values(servers).flatMap((server) =>
    Object.values(server.services).flatMap(({ taskserv, config }) => (refers(config) ? [{ server: server.name, taskserv }] : [])),
  );

function placesWith({ definition }: Inventory, refers: RefersTo, installed: SecretUse['services']): string[] {
  const wanted = (definition?.servers ?? []).flatMap((server) =>
    server.taskservs.flatMap((service) => (refers(service) ? [`${service.name} on ${server.name}`] : [])),
  );
  return [...installed.map(({ server, taskserv }) => `${taskserv} on ${server}`), ...wanted];
}
