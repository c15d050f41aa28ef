import type { FoundServer, OtherKind, Scope, UnmanagedServer } from '../../../sdk/index.js';
import { type DemoSettings, demoSettings } from '../config.js';

/** Effect of a call. Lost answers and repeated calls add none. */
export interface DemoEffect {
  verb: string;
  name: string;
  key: string;
  /** ISO time. */
  at: string;
}

/** Step whose effect a simulated host has. */
export interface DemoStep {
  title: string;
  fingerprint: string;
}

/** Journal of one run: for each finished step, the former state of the host. */
export type DemoJournal = { title: string; before: DemoStep[] }[];

export interface DemoService {
  steps: DemoStep[];
  runs: Record<string, DemoJournal>;
}

export interface DemoServer extends Omit<FoundServer, 'id' | 'connection' | 'status'> {
  scope: Scope;
  role: string;
  key: string;
  /** Id of a server that was created elsewhere. */
  ownId?: string;
  stopped?: true;
  /** End of the boot, in milliseconds since 1970. */
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

/** Demo account, as stored in its file. */
export interface DemoState {
  settings: DemoSettings;
  /** By id: `workspace/infra/name`. */
  servers: Record<string, DemoServer>;
  networks: Record<string, DemoNetwork>;
  /** Named `server/volume`. */
  volumes: Record<string, DemoVolume>;
  others: Record<string, DemoOther>;
  backups: Record<string, DemoBackup>;
  /** Servers that the platform did not create, by id. */
  elsewhere: Record<string, UnmanagedServer>;
  /** Ids of networks that the platform did not create. */
  foreignNetworks?: string[];
  /** Calls in the current second, for the rate limit. */
  window: { since: number; calls: number };
  /** Calls that must be repeated later, by verb and name: earliest time, in milliseconds since 1970. */
  notBefore?: Record<string, number>;
  /** Calls that came before that time. */
  early?: string[];
  /** Number of the last reported pause, by the key of a run. */
  pauses?: Record<string, number>;
  /** Calls in the order of arrival, if the settings request it; for refused calls, the requested wait. */
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
