import { isIpv4, isIpv6 } from '../core/definition/addresses.js';
import type { ExistingHost, Plan, ServerSpec, VolumeSpec } from '../core/definition/definition.js';
import { jumpHostAt, jumpKeyName } from '../core/definition/jump-host.js';
import { networkForm } from '../core/definition/network-form.js';
import { rangesOverlap } from '../core/definition/network-range.js';
import { accountIn, accountName } from '../core/machine/account.js';
import { type AnyProvider, SIZES } from '../core/machine/provider.js';
import { HOSTS_OWN_NAMES, NAME } from '../core/names.js';
import type { NetworkEntry, ServerEntry } from '../core/schema/definition.js';
import type { ExpandedServer } from './expanded-server.js';
import { requireFeature, resolveFeatures, zoneOf } from './server-features.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Findings } from './source/findings.js';
import type { Path } from './source/problem.js';
import type { SalvagedDefinition } from './source/salvage.js';

const NO_PLAN: Plan = { name: 'unknown', cores: 1, memoryMiB: 1024, diskGiB: 10 };

/** The providers that a file names, and the names of all. */
interface Providers {
  providers: Readonly<Record<string, AnyProvider>>;
  known: readonly string[];
}

/** The servers that a file names: counts expanded, sizes looked up, defaults filled in. */
export function expandServers(
  { settings, networks, servers }: SalvagedDefinition,
  around: Providers,
  findings: Findings,
): ExpandedServer[] {
  const standard = providerAt(settings.provider, ['provider'], around, findings);
  const seen = new Map<string, number>();
  const expanded: ExpandedServer[] = [];
  for (const { index, entry } of servers) {
    const path: Path = ['servers', index];
    const shared = sharedSpec(
      entry,
      settings,
      entry.provider === undefined ? standard : providerAt(entry.provider, [...path, 'provider'], around, findings),
      path,
      findings,
    );
    for (const name of namesOf(entry)) {
      const before = seen.get(name);
      if (before !== undefined) {
        findings.value([...path, 'name'], `two servers are named "${name}": this one and servers[${before}]`);
        continue;
      }
      seen.set(name, index);
      if (HOSTS_OWN_NAMES.has(name))
        findings.value([...path, 'name'], `"${name}" is a name that every host has already`, 'name the server after its purpose');
      expanded.push({ index, path, spec: { name, group: entry.name, ...shared } });
    }
  }
  checkJumpKeys(expanded, findings);
  checkHostsOnce(expanded, findings);
  placeNetworks(networks, expanded, around.providers, findings);
  return expanded;
}

const namesOf = ({ name, count }: ServerEntry): string[] =>
  count === undefined ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);

type Shared = Omit<ServerSpec, 'taskservs' | 'name' | 'group'>;

function sharedSpec(
  entry: ServerEntry,
  settings: SalvagedDefinition['settings'],
  { name, provider }: Chosen,
  path: Path,
  findings: Findings,
): Shared {
  if (entry.host !== undefined && provider && name !== 'local') {
    findings.key([...path, 'host'], `the provider "${name}" does not support host`, 'set provider: local for this server');
  }
  if (entry.host !== undefined && entry.count !== undefined && entry.count > 1) {
    findings.key([...path, 'count'], 'two servers cannot use the same host', 'give each host its own entry');
  }
  return {
    role: entry.role ?? entry.name,
    provider: name,
    plan: provider ? planOf(entry.plan, provider, [...path, 'plan'], findings) : NO_PLAN,
    image: provider ? imageOf(entry, provider, [...path, 'image'], findings) : '',
    zone: provider ? zoneOf(entry, settings.region, provider, path, findings) : entry.zone,
    labels: entry.labels,
    volumes: volumesOf(entry, path, findings),
    network: entry.network ?? defaultNetwork(settings, name),
    ...(provider ? resolveFeatures(entry, provider, path, findings) : {}),
    host: hostOf(entry.host),
    protect: entry.protect ?? settings.protect,
    ...(settings.update || entry.update ? { update: { ...settings.update, ...entry.update } } : {}),
  };
}

interface Chosen {
  /** With its account, as inventories have it. */
  name: string;
  provider?: AnyProvider;
}

function providerAt(written: string, path: Path, { providers, known }: Providers, findings: Findings): Chosen {
  const { provider: name, account } = accountIn(written);
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (!provider) findings.value(path, `unknown provider "${name}"`, didYouMean(name, known));
  else if (written.includes('/') && !provider.account) {
    findings.value(path, `the provider "${name}" has no accounts`, `write ${name}`);
  } else if (!NAME.test(account) || written.split('/').length > 2) {
    const message = `"${written.slice(name.length + 1)}" cannot name an account`;
    findings.value(path, message, `write ${name}/NAME, in lower-case letters, digits and dashes, a letter first`);
  }
  return { name: accountName({ provider: name, account }), provider };
}

function planOf(name: string, provider: AnyProvider, path: Path, findings: Findings): Plan {
  const size = SIZES.find((candidate) => candidate === name);
  const own = () => provider.plans.find((candidate) => candidate.name === name) ?? provider.planNamed?.(name);
  const plan = size ? provider.sizes[size] : own();
  if (plan) return plan;
  const known = [...SIZES, ...provider.plans.map((candidate) => candidate.name)];
  findings.value(path, `the provider "${provider.name}" has no plan "${name}"`, didYouMean(name, known));
  return NO_PLAN;
}

function imageOf({ image, host }: ServerEntry, provider: AnyProvider, path: Path, findings: Findings): string {
  const { default: standard, supported } = provider.images;
  if (image !== undefined && host === undefined && !supported.includes(image) && !provider.isOwnImage?.(image)) {
    findings.value(path, `the provider "${provider.name}" has no image "${image}"`, didYouMean(image, supported));
  }
  return image ?? standard;
}

function volumesOf({ volumes }: ServerEntry, path: Path, findings: Findings): VolumeSpec[] {
  return volumes.map(({ name, size, mount }, index) => {
    const earlier = volumes.slice(0, index);
    const at = [...path, 'volumes', index];
    if (earlier.some((other) => other.name === name)) findings.value([...at, 'name'], `two volumes are named "${name}"`);
    if (earlier.some((other) => other.mount === mount)) findings.value([...at, 'mount'], `two volumes are mounted at "${mount}"`);
    return { name, sizeGiB: Number.parseInt(size, 10) * (size.endsWith('TiB') ? 1024 : 1), mount };
  });
}

const hostOf = (host: ServerEntry['host']): ExistingHost | undefined =>
  host === undefined ? undefined : host === 'this' ? { kind: 'this' } : { kind: 'ssh', ...host };

/** One machine under two names would have two of our operations work on it at once. */
function checkHostsOnce(servers: ExpandedServer[], findings: Findings): void {
  const seen = new Map<string, ExpandedServer>();
  const reached = new Map<string, ExpandedServer>();
  for (const server of servers) {
    const { spec, path, index } = server;
    if (!spec.host) continue;
    const key = spec.host.kind === 'this' ? 'this machine' : `${addressForm(spec.host.address)}:${spec.host.port}`;
    const other = seen.get(key);
    if (other && other.index !== index)
      findings.value([...path, 'host'], `the servers "${other.spec.name}" and "${spec.name}" are the same host (${key})`);
    seen.set(key, server);
    const own = spec.host.kind === 'ssh' ? spec.host.privateAddress : undefined;
    if (own === undefined) continue;
    const before = reached.get(addressForm(own));
    if (before && before.index !== index)
      findings.value(
        [...path, 'host', 'privateAddress'],
        `the servers "${before.spec.name}" and "${spec.name}" have the same privateAddress (${own})`,
        'write for each machine the address that the other servers use',
      );
    reached.set(addressForm(own), server);
  }
}

/** Names in any case, and addresses however they are written, lead to one host. */
const addressForm = (address: string): string =>
  isIpv4(address) || isIpv6(address) ? networkForm(address).text : address.toLowerCase();

type Placed = SalvagedDefinition['networks'][number];

/** The network of servers that name none: one for each provider, since no network spans two. */
export const defaultNetwork = ({ infra, provider }: SalvagedDefinition['settings'], name: string): string =>
  name === accountName(accountIn(provider)) ? infra : `${infra}-${name.replace('/', '-')}`;

/** Puts what the file says of networks on the servers in them, and checks that each is at one provider. */
export function placeNetworks(
  networks: readonly Placed[],
  servers: readonly ExpandedServer[],
  providers: Readonly<Record<string, AnyProvider>>,
  findings: Findings,
): void {
  const managed = servers.filter(({ spec }) => !spec.host);
  checkOneProvider(managed, findings);
  networks.forEach(({ index, entry }, position) => {
    const path: Path = ['networks', index];
    checkAgainst(networks.slice(0, position), entry, path, findings);
    if (entry.existing !== undefined && entry.range !== undefined)
      findings.key([...path, 'range'], 'an existing network already has its range', 'leave it out');
    const members = managed.filter(({ spec }) => spec.network === entry.name);
    const [first] = members;
    if (!first) {
      const known = new Set(managed.map(({ spec }) => spec.network));
      findings.value([...path, 'name'], `no server is in the network "${entry.name}"`, didYouMean(entry.name, known));
      return;
    }
    const provider = providers[accountIn(first.spec.provider).provider];
    if (provider && entry.range !== undefined) requireFeature('network-range', provider, [...path, 'range'], findings);
    if (provider && entry.existing !== undefined) requireFeature('existing-network', provider, [...path, 'existing'], findings);
    for (const { spec } of members) {
      if (entry.range !== undefined) spec.networkRange = entry.range;
      if (entry.existing !== undefined) spec.existingNetwork = entry.existing;
    }
  });
}

function checkAgainst(earlier: readonly Placed[], { name, range, existing }: NetworkEntry, path: Path, findings: Findings): void {
  for (const { entry: other } of earlier) {
    if (other.name === name) findings.value([...path, 'name'], `two networks are named "${name}"`);
    if (existing !== undefined && other.existing === existing)
      findings.value([...path, 'existing'], `"${other.name}" is the same network`, 'name it once');
    if (range !== undefined && other.range !== undefined && rangesOverlap(range, other.range)) {
      findings.value([...path, 'range'], `${range} overlaps ${other.range} of the network "${other.name}"`, 'choose another range');
    }
  }
}

function checkOneProvider(servers: readonly ExpandedServer[], findings: Findings): void {
  const first = new Map<string, ExpandedServer>();
  for (const server of servers) {
    const { spec, path } = server;
    const other = first.get(spec.network);
    if (other && other.spec.provider !== spec.provider) {
      const message = `the network "${spec.network}" belongs to "${other.spec.provider}", like the server "${other.spec.name}", and cannot be at "${spec.provider}" as well`;
      findings.value(
        [...path, 'network'],
        message,
        'use another network for servers of this provider, or omit it to use the default network',
      );
    }
    if (!other) first.set(spec.network, server);
  }
}

/** A key that is written for a jump host: with one to go through, and the same for all servers behind it. */
export function checkJumpKeys(servers: ExpandedServer[], findings: Findings): void {
  const written = new Map<string, { key: string; name: string }>();
  for (const { spec, path } of servers) {
    if (spec.host?.kind !== 'ssh' || !spec.host.jumpHostKey) continue;
    const { jump, jumpHostKey, user } = spec.host;
    const at = [...path, 'host', 'jumpHostKey'];
    const host = jump === undefined ? undefined : jumpHostAt(jump, user);
    if (jump === undefined) findings.value(at, 'the jump host is missing', 'write jump: user@address:port');
    if (!host) continue;
    const key = jumpHostKey.split(' ').slice(0, 2).join(' ');
    const other = written.get(jumpKeyName(host));
    if (other && other.key !== key) findings.value(at, `the server "${other.name}" has another key for the same jump host`);
    else written.set(jumpKeyName(host), { key, name: spec.name });
  }
}
