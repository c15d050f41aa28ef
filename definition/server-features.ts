import type { ServerSpec } from '../core/definition/definition.js';
import type { AnyProvider, Feature } from '../core/machine/provider.js';
import type { ServerEntry } from '../core/schema/definition.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Findings } from './source/findings.js';
import type { Path } from './source/problem.js';

/** Message and suggestion for a provider that lacks a feature. */
const LACKS: Record<Feature, [message: string, suggestion: string]> = {
  firewall: ['keeps no firewall', 'leave it out; the taskserv "firewall" keeps one on the host itself'],
  placement: ['does not keep servers apart', 'leave it out for servers of this provider'],
  address: ['reserves no addresses', 'leave it out for servers of this provider'],
  'network-range': ['chooses the ranges of its networks itself', 'leave it out'],
  'existing-network': ['uses no networks of others', 'leave it out: a network of its own is made'],
  'volume-growth': ['does not grow volumes', 'leave them as they are'],
  records: ['has no zones of the DNS', 'name one that has: hetzner or aws; or a name server by `server`'],
};

/** Says it where a provider does not have a feature. */
export function requireFeature(feature: Feature, { name, features }: AnyProvider, path: Path, findings: Findings): void {
  if (features?.includes(feature)) return;
  const [message, suggestion] = LACKS[feature];
  findings.key(path, `the provider "${name}" ${message}`, suggestion);
}

/** Resolves the features of a server that not every provider has. */
export function resolveFeatures(
  { firewall, placement, address, host }: ServerEntry,
  provider: AnyProvider,
  path: Path,
  findings: Findings,
): Pick<ServerSpec, 'firewall' | 'placement' | 'address'> {
  const wanted = { firewall, placement, address };
  for (const feature of ['firewall', 'placement', 'address'] as const) {
    if (wanted[feature] === undefined) continue;
    if (host === undefined) requireFeature(feature, provider, [...path, feature], findings);
    else findings.key([...path, feature], 'this is only available for machines that a provider creates', 'leave it out');
  }
  for (const [index, { allow, ports }] of (firewall ?? []).entries()) {
    const at = [...path, 'firewall', index];
    if (allow === 'icmp' && ports !== undefined) findings.key([...at, 'ports'], 'icmp has no ports', 'leave them out');
    if (allow !== 'icmp' && ports === undefined)
      findings.key(at, `a rule for ${allow} says which ports`, 'write ports: 1-65535 for all');
  }
  return {
    ...(firewall
      ? { firewall: firewall.map(({ allow, ports, from }) => ({ protocol: allow, ...(ports ? { ports } : {}), from })) }
      : {}),
    ...(placement ? { placement } : {}),
    ...(address ? { address } : {}),
  };
}

/**
 * The provider's zone of a server; undefined where the provider chooses, and where it has none.
 *
 * @param region the definition's
 */
export function zoneOf(
  entry: ServerEntry,
  region: string | undefined,
  { name, regions }: AnyProvider,
  path: Path,
  findings: Findings,
): string | undefined {
  if (entry.zone !== undefined) {
    if (entry.region !== undefined)
      findings.key([...path, 'region'], 'a server has a region or a zone, not both', 'leave out one of them');
    return entry.zone;
  }
  const wanted = entry.region ?? region;
  // One that is at one place only, such as this machine, is wherever it is.
  if (wanted === undefined || !regions) return undefined;
  const zone = Object.hasOwn(regions, wanted) ? regions[wanted] : undefined;
  if (zone === undefined) {
    const at = entry.region === undefined ? ['region'] : [...path, 'region'];
    findings.value(at, `the provider "${name}" is not in the region "${wanted}"`, didYouMean(wanted, Object.keys(regions)));
  }
  return zone;
}
