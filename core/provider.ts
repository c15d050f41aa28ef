import type { z } from 'zod';
import type { ExistingHost, Plan, VolumeSpec } from './definition.js';
import type { RateLimit } from './rate-limits.js';
import type { Reporter } from './report.js';
import type { Step } from './step.js';

export const SIZES = ['small', 'medium', 'large', 'xlarge'] as const;
export type Size = (typeof SIZES)[number];

/** Whose resources: what every label says. */
export interface Scope {
  workspace: string;
  infra: string;
  /** The infra's UUID: tells ours from a stranger's of the same name. */
  uuid: string;
}

/** How to reach a host. Plain data, kept in the inventory; keys are looked up in the key store. */
export type Connection =
  | { kind: 'ssh'; address: string; port: number; user: string; identity?: string; jump?: string }
  | { kind: 'this' }
  | { kind: 'demo'; account: string; server: string };

export interface ServerWanted {
  name: string;
  role: string;
  plan: Plan;
  image: string;
  zone?: string;
  labels: Record<string, string>;
  volumes: VolumeSpec[];
  network: string;
  host?: ExistingHost;
}

export interface ServerFound {
  name: string;
  /** The provider's own id. */
  id: string;
  status: 'starting' | 'running' | 'stopped';
  plan: string;
  image: string;
  zone?: string;
  labels: Record<string, string>;
  /** Names, as the definition has them. */
  volumes: string[];
  /** Where each volume is mounted, for providers that cannot change it later. */
  mounts?: Record<string, string>;
  network?: string;
  connection: Connection;
}

export interface NetworkWanted {
  name: string;
}
export interface NetworkFound {
  name: string;
  id: string;
}

/** What lets us in: put into the machine when it is made, so that the host key is pinned before the first connection. */
export interface Access {
  authorizedKey: string;
  /** OpenSSH ed25519 pair of the host. */
  hostKey: { private: string; public: string };
}

/** What an activity hands to every call. */
export interface CallContext {
  scope: Scope;
  /** Which set-up asks: what it makes bears this, so that it never takes another's for its own leavings. */
  setup?: string;
  signal?: AbortSignal;
}

export interface CreateContext extends CallContext {
  /** Operation, step and generation: the same key never makes a second resource. */
  key: string;
}

/** What changes a resource would need. `update` happens in place, `replace` destroys it. */
export type Diff = { action: 'noop' } | { action: 'update' | 'replace'; changes: string[] };

/**
 * The same verbs for each kind of resource.
 * - `read` answers undefined for what is absent, and throws an input error
 *   (`owned-by-another`) for what bears our name and another infra's UUID.
 * - `diff` is pure.
 * - `create` adopts what bears our UUID, and is idempotent by `key`.
 * - `delete` of what is absent succeeds.
 */
export interface Verbs<Wanted, Found, Extra = unknown> {
  list(context: CallContext): Promise<Found[]>;
  read(name: string, context: CallContext): Promise<Found | undefined>;
  diff(wanted: Wanted, found: Found): Diff;
  create(wanted: Wanted, context: CreateContext & Extra): Promise<Found>;
  /** Waits until it can be used; calls `beat` while it waits. */
  ready(name: string, context: CallContext & { beat?: (what: string) => void }): Promise<Found>;
  update(wanted: Wanted, context: CreateContext): Promise<Found>;
  delete(name: string, context: CallContext): Promise<void>;
}

export interface ProviderConnection {
  servers: Verbs<ServerWanted, ServerFound, { access: Access }>;
  networks: Verbs<NetworkWanted, NetworkFound>;
  /** Lists volumes, named `<server>/<volume>`, and deletes one with its data. */
  volumes: Pick<Verbs<VolumeSpec, { name: string; id: string }>, 'list' | 'delete'>;
  /** All servers, networks and volumes of a workspace that bear the labels of this set-up: also those that nobody remembers. */
  owned(context: { workspace: string; setup: string; signal?: AbortSignal }): Promise<Owned[]>;
  /** The simulated host behind a server with a `demo` connection. */
  host?(server: string): SimulatedHost;
}

/** What stands in for a machine where there is none (the demo provider). */
export interface SimulatedHost {
  /** Fingerprints of the steps that took effect for a taskserv, in order. */
  executed(taskserv: string): Promise<string[]>;
  /**
   * Runs steps; the same key goes on after the last finished step. Ends before
   * its next one after a pause of a higher number than `pauses`.
   */
  run(
    taskserv: string,
    steps: Step[],
    options: { key: string; signal?: AbortSignal; onStep?: (title: string, index: number) => void; pauses?: number },
  ): Promise<{ executed: number; paused?: true }>;
  /** Stops what runs under the key before its next step. */
  pause(key: string, count: number): Promise<void>;
  /** Takes back what ran under the key. */
  undo(taskserv: string, key: string): Promise<void>;
  healthy(taskserv: string): Promise<boolean>;
}

/** Something that bears our labels, whichever infra's it is. */
export interface Owned {
  kind: 'server' | 'network' | 'volume';
  /** As the verbs take it; a volume is `<server>/<volume>`. */
  name: string;
  /** The provider's own id. */
  id: string;
  /** Whose the labels say it is. */
  scope: Scope;
  /** Since when it exists, ISO time, where the provider knows. */
  since?: string;
  /** The key it was made with, which begins with the operation's id, where the provider keeps it. */
  key?: string;
}

/** Where machines come from. `connect` imports SDKs lazily and turns their retries off. */
export interface Provider<C = unknown> {
  /** Equal to its folder's name. */
  name: string;
  description: string;
  config: z.ZodType<C>;
  /** The plan behind each abstract size. */
  sizes: Record<Size, Plan>;
  /** Plans by the provider's own names, besides the sizes. */
  plans: readonly Plan[];
  images: { default: string; supported: readonly string[] };
  /** Which account a configuration is about, where there are several. Default `default`. */
  account?(config: C): string;
  /** How often the vendor lets one account be asked, where that is known: activities a second. A setting goes before it. */
  rateLimit?: RateLimit;
  connect(config: C): Promise<ProviderConnection>;
  /** Gets this machine ready for the provider (`up --local`): a container engine, an image. Safe to repeat. */
  prepare?(config: C, report: Reporter): Promise<void>;
}

/** Checks the types of a provider. */
export function defineProvider<C>(provider: Provider<C>): Provider<C> {
  return provider;
}

// biome-ignore lint/suspicious/noExplicitAny: the registry holds providers of many configurations
export type AnyProvider = Provider<any>;
