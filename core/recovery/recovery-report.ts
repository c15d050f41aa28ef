import type { Inventory, InventoryServer } from '../infra/inventory.js';
import type { OwnedThing } from '../machine/provider.js';
import type { HostRecord } from './host-record.js';
import type { FoundHost } from './recovered-hosts.js';

/** Something that bears the labels of an infra, and the account where it is. */
export type LabelledThing = OwnedThing & { provider: string };

/** What bears the labels of an infra, in all accounts that could be asked. */
export interface LabelledThings {
  things: LabelledThing[];
  /** The servers among them as an inventory has them, each with the UUID that it bears. */
  servers: { uuid: string; server: InventoryServer }[];
  /** Accounts that could not be asked, and why. */
  unasked: { provider: string; why: string }[];
  /** What hosts say of themselves: of these servers, and of the machines of a definition. Absent where none was asked. */
  records?: HostRecord[];
}

/**
 * What providers say of a server or network that is brought back. `confirmed`: it bears the labels of this life of the
 * infra. `missing`: nothing there does. `not-asked`: its account did not answer, or the machine existed before and bears none.
 */
export interface RecoveredThing {
  name: string;
  provider: string;
  state: 'confirmed' | 'missing' | 'not-asked';
}

/** A server that is brought back. */
export interface RecoveredServer extends RecoveredThing {
  /** By what it is confirmed: a machine that was there before bears no label, and has a mark on it. */
  by?: 'label' | 'mark';
  /** Absent where nobody looked. */
  host?: FoundHost;
}

/** A server that is not brought back, since its host says another thing, or nobody confirms it. */
export interface LeftServer {
  name: string;
  provider: string;
  state: 'contradicted' | 'unconfirmed';
  host: FoundHost;
}

/** What is brought back of an infra, and from what. */
export interface RecoveryReport {
  infra: string;
  uuid: string;
  /** `labels`, `marks`: there is no feed, so that services and the definition are not known. `marks`: nothing bears labels. */
  source: 'feed' | 'labels' | 'marks';
  /** When the last change in the feed was accepted, ISO time. */
  at?: string;
  servers: RecoveredServer[];
  networks: RecoveredThing[];
  /** Servers that bear its labels, or stand in the definition that was given, and are not brought back. */
  left?: LeftServer[];
  /** It bears labels of this infra, of this life or another, and is not brought back. */
  others: LabelledThing[];
  unasked: LabelledThings['unasked'];
  /** The infra lives again. */
  recovered?: true;
}

/** What is brought back of an inventory, each thing with what labels say of it. */
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
  // What was there before the infra is used, and never labelled.
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
