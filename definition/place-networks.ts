import { rangesOverlap } from '../core/definition/network-range.js';
import { accountIn, accountName } from '../core/machine/account.js';
import type { AnyProvider } from '../core/machine/provider.js';
import type { NetworkEntry } from '../core/schema/definition.js';
import type { ExpandedServer } from './expanded-server.js';
import { requireFeature } from './server-features.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Findings } from './source/findings.js';
import type { Path } from './source/problem.js';
import type { Understood } from './source/salvage.js';

type Placed = Understood['networks'][number];

/** The network of servers that name none: one for each provider, since no network spans two. */
export const defaultNetwork = ({ infra, provider }: Understood['settings'], name: string): string =>
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
      findings.key([...path, 'range'], 'a network that is there already has its range', 'leave it out');
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
      const message = `the network "${spec.network}" is at "${other.spec.provider}", where the server "${other.spec.name}" is, and cannot be at "${spec.provider}" as well`;
      findings.value([...path, 'network'], message, 'name another for servers of this provider, or none: then it has its own');
    }
    if (!other) first.set(spec.network, server);
  }
}
