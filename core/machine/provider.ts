import type * as z from 'zod';
import type { ExistingHost, Plan, VolumeSpec } from '../definition/definition.js';
import type { SimulatedHost } from '../host/simulated-host.js';
import type { RateLimit } from '../operation/rate-limits.js';
import type { Reporter } from '../report.js';
import type { CallContext, Scope } from './call-context.js';
import type { Catalog } from './catalog.js';
import type { FirewallRule } from './firewall-rule.js';
import type { ZoneVerbs } from './zones.js';

export const SIZES = ['small', 'medium', 'large', 'xlarge'] as const;
export type Size = (typeof SIZES)[number];

/** Regions of the world, with the same names for all providers. Each provider has those in which it has zones. */
export const REGIONS = [
  'eu-central',
  'eu-west',
  'eu-north',
  'eu-south',
  'us-east',
  'us-central',
  'us-west',
  'ap-northeast',
  'ap-southeast',
  'ap-south',
] as const;

/** How to reach a host. Plain data, kept in the inventory; keys are looked up in the key store. */
export type Connection =
  | {
      kind: 'ssh';
      address: string;
      port: number;
      user: string;
      identity?: string;
      jump?: string;
      /** By which servers of its network reach it. */
      privateAddress?: string;
    }
  | { kind: 'this' }
  | { kind: 'demo'; account: string; server: string };

/**
 * Optional features; `features` of a provider lists its own. `volume-growth`: volumes of an existing server are added
 * and grown. `records`: it has DNS zones.
 */
export const FEATURES = [
  'firewall',
  'placement',
  'address',
  'network-range',
  'existing-network',
  'volume-growth',
  'records',
] as const;
export type Feature = (typeof FEATURES)[number];

export interface WantedServer {
  name: string;
  role: string;
  plan: Plan;
  image: string;
  zone?: string;
  labels: Record<string, string>;
  volumes: VolumeSpec[];
  network: string;
  /** Feature `existing-network`: the provider's id of `network`, where that was there already. */
  existingNetwork?: string;
  /** Feature `firewall`. */
  firewall?: readonly FirewallRule[];
  /** Feature `placement`: servers of the same infra with the same word here never share a physical machine. */
  placement?: string;
  /** Feature `address`: a public address that stays when the machine is replaced, and goes when the server is deleted for good. */
  address?: 'reserved';
  host?: ExistingHost;
}

export interface FoundServer {
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
  /** Mount point of each volume, for providers that cannot change it later. */
  mounts?: Record<string, string>;
  /** The path of each volume's disk on the host, where the host is to mount it: one that is there whenever the disk is. */
  devices?: Record<string, string>;
  network?: string;
  /** Sizes in GiB by volume's name, for providers that can grow them. */
  volumeSizes?: Record<string, number>;
  /** Equal rules in any order are the same. */
  firewall?: readonly FirewallRule[];
  placement?: string;
  address?: 'reserved';
  connection: Connection;
}

export interface WantedNetwork {
  name: string;
  /** Feature `network-range`: its IPv4 range (`10.20.0.0/24`); the provider chooses one where it is absent. */
  range?: string;
  /** Feature `existing-network`: the provider's id of one that is there already; used, never changed or deleted. */
  existing?: string;
  /** Zone of the provider's networks. */
  zone?: string;
}
export interface FoundNetwork {
  name: string;
  id: string;
  range?: string;
}

/** A server of the account, whoever made it. */
export interface UnmanagedServer {
  id: string;
  name: string;
  address?: string;
  plan: string;
  image: string;
  zone?: string;
  /** The user's own, as definitions have them. */
  labels?: Record<string, string>;
  /** The scope that its labels name, where they name one. */
  scope?: Scope;
}

/**
 * Access keys of a machine. They are installed at its creation, so its host key is pinned before the first connection.
 */
export interface Access {
  authorizedKey: string;
  /** OpenSSH ed25519 pair of the host. */
  hostKey: { private: string; public: string };
}

export interface CreateContext extends CallContext {
  /** Operation, step and generation: the same key never makes a second resource. */
  key: string;
  /** Says what is done now, where making it takes long. */
  beat?: (what: string) => void;
}

/** Needed changes of a resource. `update` changes it in place, `replace` destroys it. */
export type Diff = { action: 'noop' } | { action: 'update' | 'replace'; changes: string[] };

/**
 * Verbs of each kind of resource.
 *
 * - `read` returns undefined for a missing resource. It throws an input error (`owned-by-another`) for a resource with
 * the infra's name and another infra's UUID.
 *
 * - `diff` is pure.
 *
 * - `create` adopts a resource with the infra's UUID, and is idempotent by `key`. After a permanent refusal, its
 * pieces are removed, and former resources are unchanged (`createAtomically`).
 *
 * - `delete` of a missing resource succeeds.
 */
export interface Verbs<Wanted, Found, Extra = unknown> {
  list(context: CallContext): Promise<Found[]>;
  read(name: string, context: CallContext): Promise<Found | undefined>;
  diff(wanted: Wanted, found: Found): Diff;
  create(wanted: Wanted, context: CreateContext & Extra): Promise<Found>;
  /** Waits until it can be used; calls `beat` while it waits. */
  ready(name: string, context: CallContext & { beat?: (what: string) => void }): Promise<Found>;
  update(wanted: Wanted, context: CreateContext): Promise<Found>;
  /** With `replaced` another of this name follows: what outlives a machine (a reserved address) stays for it. */
  delete(name: string, context: CallContext & { replaced?: true }): Promise<void>;
}

/** A copy of a volume. */
export interface Backup {
  id: string;
  /** `<server>/<volume>` */
  volume: string;
  /** ISO time. */
  since?: string;
}

export interface ProviderConnection {
  servers: Verbs<WantedServer, FoundServer, { access: Access }>;
  networks: Verbs<WantedNetwork, FoundNetwork>;
  /** Lists volumes, named `<server>/<volume>`, and deletes one with its data. */
  volumes: Pick<Verbs<VolumeSpec, { name: string; id: string }>, 'list' | 'delete'>;
  /** Lists all servers, networks and volumes of a workspace with the labels of this set-up, also untracked ones. */
  owned(context: { workspace: string; setup: string; signal?: AbortSignal }): Promise<OwnedThing[]>;
  /**
   * Stops (after a shutdown of the system), starts or restarts a server, and returns at the end of it. A server in
   * that state stays so.
   */
  power?(name: string, action: 'start' | 'stop' | 'restart', context: CallContext): Promise<FoundServer>;
  /** Copies of volumes as they are now, made once by `key`; they outlive volume and server. */
  backups?: {
    list(context: CallContext): Promise<Backup[]>;
    /** @param volume `<server>/<volume>` */
    create(volume: string, context: CreateContext): Promise<Backup>;
    delete(id: string, context: CallContext): Promise<void>;
  };
  /** Deletes what goes along with servers; what is absent is deleted already. */
  others?: { delete(kind: OtherKind, name: string, context: CallContext): Promise<void> };
  /** Feature `records`. */
  records?: ZoneVerbs;
  /** Absent where there is nothing to buy. */
  catalog?: Catalog;
  /** All servers of the account, also those that are not ours, for `refresh` and `import`. */
  strangers?(signal?: AbortSignal): Promise<UnmanagedServer[]>;
  /** Puts our labels on a server that was made elsewhere; it becomes the server of this name. */
  adopt?(id: string, name: string, context: CreateContext): Promise<FoundServer>;
  /** The end of what a server wrote to its console, where the provider keeps that. */
  console?(name: string, context: CallContext): Promise<string | undefined>;
  /** The simulated host behind a server with a `demo` connection. */
  host?(server: string): SimulatedHost;
}

/**
 * Resources that providers create and remove with servers: a firewall and an address have the name of their server, a
 * placement its word, a key the name of its infra.
 */
export type OtherKind = 'firewall' | 'address' | 'placement' | 'key';

/** A resource with the platform's labels, whatever its infra. */
export interface OwnedThing {
  kind: 'server' | 'network' | 'volume' | OtherKind;
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

/** Source of an account's credentials. Only requests get them. */
export interface CredentialSource {
  env: Readonly<Record<string, string | undefined>>;
  /** From the secret store: `hetzner/default/token`. */
  secret(name: string): Promise<string | undefined>;
}

/** Provider of machines. `connect` imports SDKs lazily and disables their retries. */
export interface Provider<C = unknown> {
  /** Equal to its folder's name. */
  name: string;
  description: string;
  config: z.ZodType<C>;
  /** The plan behind each abstract size. */
  sizes: Record<Size, Plan>;
  /** Plans by the provider's own names, beside the sizes. */
  plans: readonly Plan[];
  /** One that is not in `plans` and exists nevertheless: its cores, memory and disk by its name. */
  planNamed?(name: string): Plan | undefined;
  images: { default: string; supported: readonly string[] };
  /** Reports whether a name can be an image of the provider, beside `supported`. */
  isOwnImage?(name: string): boolean;
  /** Zone of each region, if the provider has zones. */
  regions?: Readonly<Record<string, string>>;
  /** Nothing is paid for its machines. */
  free?: true;
  /** Its optional features. */
  features?: readonly Feature[];
  /** Account of a configuration, if several exist. Default `default`. */
  account?(config: C): string;
  /**
   * Variables of the environment that hold the credentials of the default account, each
   * with the last part of the secret that stands for it: `{ HCLOUD_TOKEN: 'token' }`. A
   * named account has its name behind: `HCLOUD_TOKEN_PROD`, `hetzner/prod/token`.
   */
  variables?: Readonly<Record<string, string>>;
  /** Accounts that the vendor's own files name, beside those of variables and secrets. */
  accounts?(env: CredentialSource['env']): Promise<string[]>;
  /** How often the vendor lets one account be asked, where that is known: activities a second. A setting goes before it. */
  rateLimit?: RateLimit;
  /**
   * Asks for credentials here and nowhere else: what `outside` answered is asked again
   * before each use, and where it differs the account is connected again. Throws the
   * input error `no-credentials` where there are none, `credentials` where they are refused.
   */
  connect(config: C, outside?: CredentialSource): Promise<ProviderConnection>;
  /** Gets this machine ready for the provider (`up --local`): a container engine, an image. Safe to repeat. */
  prepare?(config: C, report: Reporter): Promise<void>;
}

/** Checks the types of a provider. */
export function defineProvider<C>(provider: Provider<C>): Provider<C> {
  return provider;
}

// biome-ignore lint/suspicious/noExplicitAny: the registry holds providers of many configurations
export type AnyProvider = Provider<any>;
