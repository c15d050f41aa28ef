import type { Inventory } from '../infra/inventory.js';
import type { OwnedThing } from '../machine/provider.js';

/** A resource with the platform's labels that no infra and no operation knows. */
export interface Orphan extends OwnedThing {
  provider: string;
  /** Why it is one. */
  reason: string;
  /** Operation that created it, and its end, if known. */
  operation?: string;
  ended?: string;
}

/** State of the infra in the labels. Undefined if no infra of that name lives. */
export interface LivingInfra {
  inventory: Inventory;
  /** Resources that operations hold or wait for. */
  claimed: { operation: string; resources: string[] }[];
}

export interface OrphanReport {
  /** By provider, infra, kind and name. */
  orphans: Orphan[];
  /** Providers that could not be asked, and why. */
  unasked: { provider: string; why: string }[];
}

/** Result of removing orphans. */
export interface RemovalReport extends OrphanReport {
  removed: Orphan[];
  /** No longer orphans, when it came to removing them. */
  kept: (Orphan & { why: string })[];
  failed: (Orphan & { why: string })[];
}

/** A request for a list of orphans, or for the removal of those that were listed before. */
export interface OrphansRequest {
  workspace: string;
  actor: string;
  remove?: Orphan[];
  /** First pause before a request for the lock of an infra is repeated, in milliseconds. */
  askAgainMs?: number;
}

/** Reason why a labelled resource is an orphan. Undefined if it is not. */
export function explainOrphan(owned: OwnedThing, infra: LivingInfra | undefined): string | undefined {
  const { scope } = owned;
  if (!infra) return `no infra "${scope.infra}" lives`;
  const { inventory, claimed } = infra;
  if (inventory.uuid !== scope.uuid) return `it belongs to a former infra "${scope.infra}" with UUID ${scope.uuid}`;
  if (isRecorded(owned, inventory)) return undefined;
  if (claimed.some(({ resources }) => resources.includes('*') || resources.includes(resourceOf(owned)))) return undefined;
  return `it is not in the inventory of "${scope.infra}", and no operation works on it`;
}

/** The resource that covers it: volume, firewall and address go with their server; placement and key with the infra. */
export const resourceOf = ({ kind, name }: Pick<OwnedThing, 'kind' | 'name'>): string =>
  kind === 'network' || kind === 'placement' || kind === 'key' ? `${kind}/${name}` : `server/${name.split('/')[0]}`;

function isRecorded({ kind, name }: OwnedThing, { servers, networks }: Inventory): boolean {
  if (kind === 'network') return Object.hasOwn(networks, name);
  if (kind === 'key') return Object.keys(servers).length > 0;
  if (kind === 'placement') return Object.values(servers).some(({ spec }) => spec.placement === name);
  const [server = '', volume = ''] = name.split('/');
  if (kind !== 'volume') return Object.hasOwn(servers, server);
  return servers[server]?.spec.volumes.some((one) => one.name === volume) ?? false;
}

const KINDS = ['server', 'address', 'volume', 'firewall', 'network', 'placement', 'key'] as const;

/** In the order in which they can be removed: a volume after its server, a network after all that is in it. */
export const sortOrphans = (orphans: readonly Orphan[]): Orphan[] =>
  [...orphans].sort((a, b) => (identifyOrphan(a) < identifyOrphan(b) ? -1 : 1));

/** Sort key of orphans. It is unique, because it has the id: a provider may have two resources of one name. */
export const identifyOrphan = ({ kind, provider, scope, name, id }: Orphan): string =>
  `${KINDS.indexOf(kind)}/${provider}/${scope.infra}/${scope.uuid}/${name}/${id}`;
