import type { FoundServer, OtherKind, Scope, UnmanagedServer } from '../../../sdk/index.js';
import { type DemoSettings, demoSettings } from '../config.js';

/** One thing that really happened; lost answers and repeated calls add none. */
export interface DemoEffect {
  verb: string;
  name: string;
  key: string;
  /** ISO time. */
  at: string;
}

/** A step whose effect a simulated host bears. */
export interface DemoStep {
  title: string;
  fingerprint: string;
}

/** The journal of one run: for each finished step what the host bore before it. */
export type DemoJournal = { title: string; before: DemoStep[] }[];

export interface DemoService {
  steps: DemoStep[];
  runs: Record<string, DemoJournal>;
}

export interface DemoServer extends Omit<FoundServer, 'id' | 'connection' | 'status'> {
  scope: Scope;
  role: string;
  key: string;
  /** Of one that was made elsewhere. */
  ownId?: string;
  stopped?: true;
  /** Milliseconds since 1970: when it has started. */
  bootedAt: number;
  services: Record<string, DemoService>;
}

export interface DemoThing {
  name: string;
  scope: Scope;
  key: string;
}

export interface DemoNetwork extends DemoThing {
  range?: string;
}

export interface DemoVolume extends DemoThing {
  sizeGiB?: number;
}

export interface DemoOther extends DemoThing {
  kind: OtherKind;
}

/** Named by its id. */
export interface DemoBackup extends DemoThing {
  volume: string;
  /** ISO time. */
  at: string;
}

/** A demo account, as its file holds it. */
export interface DemoState {
  settings: DemoSettings;
  /** By id: `workspace/infra/name`. */
  servers: Record<string, DemoServer>;
  networks: Record<string, DemoNetwork>;
  /** Named `server/volume`. */
  volumes: Record<string, DemoVolume>;
  others: Record<string, DemoOther>;
  backups: Record<string, DemoBackup>;
  /** Servers that nobody made by us, by id. */
  elsewhere: Record<string, UnmanagedServer>;
  /** Ids of networks that nobody made by us. */
  foreignNetworks?: string[];
  /** Calls in the current second, for the rate limit. */
  window: { since: number; calls: number };
  /** Calls that were told to come again later, by verb and name: not before, in milliseconds since 1970. */
  notBefore?: Record<string, number>;
  /** Calls that came before they were told to. */
  early?: string[];
  /** By key of a run: the number of the last pause it was told of. */
  pauses?: Record<string, number>;
  /** Every call in the order of arrival, where the settings ask for it; how long those refused were told to wait. */
  calls?: { verb: string; name: string; at: number; waitMs?: number }[];
  /** In the order in which they happened. */
  effects: DemoEffect[];
}

export const emptyState = (settings: DemoSettings = demoSettings.parse({})): DemoState => ({
  settings,
  servers: {},
  networks: {},
  volumes: {},
  others: {},
  backups: {},
  elsewhere: {},
  window: { since: 0, calls: 0 },
  effects: [],
});

export const idOf = ({ workspace, infra }: Scope, name: string): string => `${workspace}/${infra}/${name}`;

export function note(state: DemoState, verb: string, name: string, key: string): void {
  state.effects.push({ verb, name, key, at: new Date().toISOString() });
}
