import type { AccountReport } from '../../../sdk/index.js';
import type { Cloud } from '../cloud/cloud.js';
import { callPermitted } from '../cloud/permitted.js';

/** Our names of UpCloud's limits. */
const LIMITS: Readonly<Record<string, string>> = {
  cores: 'cores',
  memory: 'memory (MiB)',
  storage_maxiops: 'MaxIOPS volumes (GiB)',
  storage_standard: 'standard volumes (GiB)',
  storage_hdd: 'archive volumes (GiB)',
  networks: 'private networks',
  public_ipv4: 'public IPv4 addresses',
  public_ipv6: 'public IPv6 addresses',
  detached_floating_ips: 'reserved addresses without a server',
};

/**
 * Returns the read permissions of this user, and the use of the account's limits. Write permissions cannot be checked
 * without a change.
 */
export async function accountReport({ client }: Cloud, signal?: AbortSignal): Promise<AccountReport> {
  const { username, credits, resource_limits } = await client.account.read({ signal });
  const abilities: AccountReport['abilities'] = [];

  /** Performs a read, and records whether it was permitted. */
  async function look<T>(what: string, call: () => Promise<T>): Promise<T | undefined> {
    const seen = await callPermitted(call);
    abilities.push({ what, allowed: 'value' in seen, ...('why' in seen && { why: seen.why }) });
    return 'value' in seen ? seen.value : undefined;
  }

  const servers = await look('list servers', () => client.servers.list({}, { signal }));
  const storages = await look('list volumes', () => client.storages.list({ kind: 'private' }, { signal }));
  const networks = await look('list networks', () => client.networks.list({}, { signal }));
  const addresses = await look('list addresses', () => client.ipAddresses.list({ signal }));
  await look('list placements', () => client.serverGroups.list({}, { signal }));
  await look('read the price list', () => client.offer.prices({ signal }));
  const details = await look('read the currency of prices', () => client.account.details(username, { signal }));
  abilities.push({ what: 'create, change and delete', why: 'UpCloud does not list its permissions' });

  const ofTier = (wanted: string) => storages && sum(storages.filter(({ tier }) => tier === wanted).map(({ size }) => size));
  const publicOf = (wanted: string) => addresses?.filter(({ access, family }) => access === 'public' && family === wanted).length;
  const used: Record<string, number | undefined> = {
    cores: servers && sum(servers.map(({ core_number }) => core_number)),
    memory: servers && sum(servers.map(({ memory_amount }) => memory_amount)),
    storage_maxiops: ofTier('maxiops'),
    storage_standard: ofTier('standard'),
    storage_hdd: ofTier('hdd'),
    networks: networks?.filter(({ type }) => type === 'private').length,
    public_ipv4: publicOf('IPv4'),
    public_ipv6: publicOf('IPv6'),
    detached_floating_ips: addresses?.filter(({ floating, server }) => floating && !server).length,
  };
  const limits: AccountReport['limits'] = Object.entries(LIMITS).flatMap(([key, what]) => {
    const limit = resource_limits?.[key];
    return typeof limit === 'number' ? [{ what, limit, used: used[key] }] : [];
  });
  if (credits !== undefined)
    limits.push({ what: `credit left (${details?.currency ?? 'in the account’s currency'})`, limit: credits / 100 });
  return { identity: username, abilities, limits };
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
