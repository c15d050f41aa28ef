import type { Inventory, InventoryServer } from '../infra/inventory.js';
import type { OwnedThing } from '../machine/provider.js';
import type { HostRecord } from './host-record.js';
import type { FoundHost } from './recovered-hosts.js';

/** A resource with the labels of an infra, and its account. */
export type LabelledThing = OwnedThing & { provider: string };

/** Resources with the labels of an infra, in all accounts that answered. */
export interface LabelledThings {
  things: LabelledThing[];
  /** The servers among them as inventory entries, each with the UUID of its label. */
  servers: { uuid: string; server: InventoryServer }[];
  /** Accounts that could not be asked, and why. */
  unasked: { provider: string; why: string }[];
  /** Records of these servers' hosts, and of a definition's machines. Absent if no host was queried. */
  records?: HostRecord[];
}

/**
 * A recovered server or network, with its provider's answer. `confirmed`: it has the labels of this life of the infra.
 * `missing`: no resource has them. `not-asked`: its account did not answer, or the machine existed before and has no
 * labels.
 */
export interface RecoveredThing {
  name: string;
  provider: string;
  state: 'confirmed' | 'missing' | 'not-asked';
}

/** A server that is brought back. */
export interface RecoveredServer extends RecoveredThing {
  /** Kind of confirmation: an existing machine has no label, but a mark on it. */
  by?: 'label' | 'mark';
  /** Absent without a look. */
  host?: FoundHost;
}

/** A server that is not recovered, because its host contradicts it or nothing confirms it. */
export interface LeftServer {
  name: string;
  provider: string;
  state: 'contradicted' | 'unconfirmed';
  host: FoundHost;
}

/** Recovered parts of an infra, and their source. */
export interface RecoveryReport {
  infra: string;
  uuid: string;
  /**
   * `labels`, `marks`: no feed exists, so services and the definition are unknown. `marks`: no resource has labels
   * either.
   */
  source: 'feed' | 'labels' | 'marks';
  /** When the last change in the feed was accepted, ISO time. */
  at?: string;
  servers: RecoveredServer[];
  networks: RecoveredThing[];
  /** Servers with its labels, or in the given definition, that are not recovered. */
  left?: LeftServer[];
  /** Other resources with labels of this infra that are not recovered, whatever their life. */
  others: LabelledThing[];
  unasked: LabelledThings['unasked'];
  /** The infra lives again. */
  recovered?: true;
}

/** Creates the report of a recovered inventory, each resource with the statement of its labels. */
export function createRecoveryReport(
  inventory: Inventory,
  source: RecoveryReport['source'],
  { things, unasked }: LabelledThings,
  left: readonly LeftServer[] = [],
): RecoveryReport {
  const { infra, uuid } = inventory;
  const own = things.filter(({ scope }) => scope.uuid === uuid);
  const silent = new Set(unasked.map(({ provider }) => provider));
  const stateOf = (kind: OwnedThing['kind'], name: string, provider: string, isLabelled = true): RecoveredThing => {
    const there = own.some((one) => one.kind === kind && one.name === name && one.provider === provider);
    return { name, provider, state: there ? 'confirmed' : isLabelled && !silent.has(provider) ? 'missing' : 'not-asked' };
  };
  const servers = Object.values(inventory.servers);
  const networks = Object.values(inventory.networks);
  // Existing resources are used by the infra, but never labelled.
  const existing = new Set(servers.flatMap(({ spec }) => (spec.existingNetwork ? [spec.network] : [])));
  const isLeft = (name: string) => left.some((one) => one.name === name);
  const isKnown = ({ kind, name, scope }: LabelledThing) => {
    if (scope.uuid !== uuid) return false;
    if (kind === 'network') return inventory.networks[name] !== undefined;
    return kind === 'server' ? inventory.servers[name] !== undefined || isLeft(name) : true;
  };
  return {
    ...{ infra, uuid, source },
    servers: servers.map(({ name, provider, spec }) => stateOf('server', name, provider, !spec.host)).sort(alphabetically),
    networks: networks.map(({ name, provider }) => stateOf('network', name, provider, !existing.has(name))).sort(alphabetically),
    ...(left.length > 0 && { left: [...left].sort(alphabetically) }),
    others: things.filter((one) => !isKnown(one)),
    unasked,
  };
}

const alphabetically = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
