import type * as z from 'zod';
import type { Fact, Facts, FoundFacts } from '../host/facts.js';
import type { GivenCommand } from '../host/ran-command.js';
import type { Step } from '../host/step.js';
import type { StepEffect } from '../host/step-change.js';
import type { endpoint } from '../schema/loaded-definition.js';
import type { AgreeingServer, Agreement } from './agreement.js';
import type { AptSource } from './apt-source.js';
import type { Companions } from './companions.js';
import type { DataMove, MoveContext } from './data-move.js';
import type { Group, GroupContext } from './groups/group.js';
import type { Mirror } from './mirrors.js';
import type { Text } from './secret.js';

/** The host of a plan. */
export interface HostContext {
  /** The server's name; other hosts of the infra reach it by this name. */
  name: string;
  role: string;
  /** Debian's or Ubuntu's id (`debian`). */
  os: string;
  /** Its release, as images are named: `debian-13`. Absent where that is not known. */
  release?: string;
  /** `amd64` or `arm64`. */
  arch: string;
  cores: number;
  memoryMiB: number;
  /** By which servers of its network reach it: an IP address, or a name that the host resolves to its own. Absent where it has none. */
  privateAddress?: string;
  /** A machine that was there before: what else is on its network is not ours. */
  existing?: true;
}

/** Something a taskserv listens on, seen by others of its definition and checked for clashes. */
export type Endpoint = z.output<typeof endpoint>;

/** One taskserv on one server of the same infra. */
export interface Peer {
  server: string;
  role: string;
  /** Address at which other hosts of the infra reach it: the server's name. */
  address: string;
  taskserv: string;
  endpoints: Endpoint[];
}

/** Data that a taskserv holds on a server. */
export interface HeldData {
  taskserv: string;
  server: string;
  /** The provider's id of the machine: another machine has other data. Absent before that is made. */
  machine?: string;
  /** Identity of the data, from the data itself. Absent if the host does not know it. */
  identity?: string;
  /** It begins with this operation. */
  begins?: true;
}

/** Inputs of a plan beside its configuration and its facts. */
export interface PlanContext {
  host: HostContext;
  /** All taskservs of the definition, this one included, sorted by server, then taskserv. */
  peers: readonly Peer[];
  /** The version asked for, one of `versions.supported`. */
  version: string;
  /** Servers whose names come to mean another address by a step right before these: what resolved them at its start is to take that in. */
  moved?: readonly string[];
  /** The data of those that it works on, as far as it is known. */
  heldData?: readonly HeldData[];
  /** Mirrors of vendors' downloads, as the definition declares them. */
  mirrors?: readonly Mirror[];
  /** The group that it belongs to, with the present state of each member. */
  group?: GroupContext;
}

/** Inputs of checks. */
export interface HealthContext extends Omit<PlanContext, 'version'> {
  /**
   * Services that the operation just created or changed without a wait for their use. A load balancer in front is
   * healthy only if it uses them. Services that were down before and are unchanged do not count.
   */
  changed?: readonly { server: string; taskserv: string }[];
}

/** A test of a running service, done on the host itself; of `records`, at the provider of their zone. */
export type HealthCheck = { title: string } & (
  | {
      command: string;
      /** Text that standard output must contain. */
      expect?: string;
      env?: Record<string, Text>;
      /** The definition's own command. Previews report that it ran. */
      given?: GivenCommand;
    }
  | { tcp: number }
  | {
      /** By HTTPS any certificate will do: `tlsHealth` makes the check of the certificate. */
      http: string;
      /** The only status that passes. Default: each from 200 to 399. */
      status?: number;
      /** Text that the body must contain. */
      expect?: string;
    }
  | { records: { name: string; addresses?: string[] }[] }
);

export interface Versions {
  default: string;
  /** Newest first; a definition may name any of these. */
  supported: readonly [string, ...string[]];
  /** Source of the versions: `debian`. */
  source: string;
  /** The Debian package whose version it is; `{version}` stands in it where its name has that: `postgresql-{version}`. */
  package?: string;
  /**
   * Version in the archive of each release of a distribution, if that decides: a host gets the version of its release,
   * whatever the default. Keys are names of images (`debian-13`). `null`: not available for this release.
   * `debianVersions` makes it.
   */
  releases?: Readonly<Record<string, string | null>>;
  /** Other versions than that of the release may come from further sources of apt: one that is named is left to apt. */
  further?: true;
  /** Versions that must not be installed any more, each with the reason. */
  withdrawn?: Readonly<Record<string, string>>;
  /**
   * Maximum step of one upgrade, if the service limits it: from a major version to the next, from a minor version to
   * the next, or to any newer major version. A downgrade below such a version is impossible, because the data would
   * have another form. Absent: no limit.
   */
  upgrades?: 'major-by-major' | 'minor-by-minor' | 'to-any-newer';
}

/** Resource that is about to change: a taskserv of a server, or without one the whole server. */
export interface DrainTarget {
  server: string;
  taskserv?: string;
}

/** Load balancers know their backends by `peers`. */
export interface UndrainContext extends Omit<PlanContext, 'version'> {
  /** Endpoints of the target after its return, if they differ: for example another port. */
  returns?: readonly Peer[];
}

/** Things that only one taskserv of a server may have, each with its place in the configuration. */
export interface Exclusive {
  /** Files that it writes, by their paths; `suggestion` says what to do about one that another wants. */
  files?: readonly { path: string; at: readonly (string | number)[]; suggestion?: string }[];
  /** Packages that are not to be there. */
  withoutPackages?: readonly { name: string; at: readonly (string | number)[] }[];
}

/** A service of a machine. No I/O: facts are questions, plans are answers, and everything is data. */
export interface Taskserv<C = unknown, F extends Facts = Facts> {
  /** Equals its folder's name. An instance has a suffix: `app@shop`. */
  name: string;
  /** One of the categories of docs/reference/glossary.md: `databases`, `load-balancing`, … */
  category: string;
  /** One sentence: what it is for. */
  description: string;
  /**
   * Returns the instance of this name, `NAME@name`, if a server may have several. It shares no file with others. Only
   * the platform's taskservs have instances.
   *
   * @param name up to 20 lower-case letters, digits and dashes
   */
  instance?(name: string): AnyTaskserv;
  /** Kind of the SDK that made it. Absent for taskservs that declare everything themselves. */
  kind?: 'package' | 'settings' | 'vendor' | 'release';
  versions: Versions;
  /** Taskservs that must be on the same server, before it. Missing ones are added with their defaults. */
  requires?: readonly string[];
  /** Taskservs that come before it where they are in the definition, on any server. */
  after?: readonly string[];
  /** It comes before all others where it is in the definition: they are installed by what it sets. Only those of the platform may. */
  first?: true;
  /** Further ones that its configuration says it comes after. */
  follows?(config: C): string[];
  /** Things on a server that this configuration needs and that no other taskserv there may want differently. */
  exclusive?(config: C): Exclusive;
  /** Taskservs that it brings along, on servers of its choice. */
  companions?: Companions<C>;
  /**
   * Decides what the configurations of all its servers say together, such as an order, and reports what does not fit.
   * Pure. Its servers are in the order of the definition.
   */
  agree?(on: readonly AgreeingServer<C>[]): Agreement<C>;
  /** Its members on several servers form one service. */
  // biome-ignore lint/suspicious/noExplicitAny: facts of a group are known to its taskserv only
  group?: Group<C, any>;
  /** Taskservs that cannot share a server with it. */
  conflicts?: readonly string[];
  /** In a workspace: it replaces a taskserv of the user or of the platform. Without it such a name is refused. */
  overrides?: boolean;
  /** It fetches from its vendor: the mirrors of the definition are for it. */
  fetches?: true;
  /** The apt repositories of vendors that it has its packages from. */
  aptSources?: readonly AptSource[];
  /** Content address of its code, where that comes with the definition; absent for those of the platform. Not for authors. */
  module?: string;
  /** Default: Debian and Ubuntu on amd64 and arm64. */
  supports?: { os?: readonly string[]; arch?: readonly string[] };
  /** Types, defaults and descriptions of its configuration. */
  config: z.ZodType<C>;
  /**
   * Shape of `source` in its configuration, if that names a Git reference or a directory. It is resolved when a
   * definition is loaded, and kept with it.
   */
  sources?: z.ZodType;
  /** Name of the release that a configuration runs, if several can exist side by side. */
  release?(config: C): string;
  /**
   * Paths of the data that it holds: what its clients put there, and nothing in the definition would bring back. Empty
   * where it holds none. On another server it begins without that data. Absent counts as empty; those of the platform say it.
   */
  holds?: readonly string[] | ((config: C) => readonly string[]);
  /**
   * How its data moves to another server, where an entry says `moveData: true`. Absent: it cannot move its data.
   * Only those of the platform have it.
   *
   * @throws inputError where the data cannot move between these two
   */
  moveData?(config: C, context: MoveContext): DataMove;
  /**
   * Identifies its data, from the data itself. It stays with data that moves, and differs once the service began
   * without it. No spaces; empty without data.
   */
  identity?: Fact<string>;
  /** Taskservs whose data it changes: its plan gets to know which data that is (`PlanContext.heldData`). */
  worksOn?: readonly string[];
  /** Its endpoints. */
  endpoints?(config: C): Endpoint[];
  /**
   * Names of the endpoints that it looks up on other servers: its plan gets only taskservs there that offer one of
   * these. Without it, it gets all.
   */
  uses?(config: C): string[];
  /**
   * Facts about a host before planning.
   *
   * @param version requested version; absent for a removal
   */
  facts(config: C, version?: string): F;
  /** The version that runs there, for the inventory; undefined when it is not installed. */
  installed(found: FoundFacts<F>): string | undefined;
  /**
   * Effect of a step of `plan` or `remove` from the facts, for previews. Undefined for steps whose kind says enough. Only
   * those of the platform have it.
   */
  explain?(step: Step, found: FoundFacts<F>): StepEffect | undefined;
  /** The steps still to be done; empty when nothing is. */
  plan(config: C, found: FoundFacts<F>, context: PlanContext): Step[];
  /** How to tell that it works. */
  health(config: C, context: HealthContext): HealthCheck[];
  /** The steps that take it away again; data stays. */
  remove(config: C, found: FoundFacts<F>): Step[];
  /**
   * For a load balancer: the steps on its own host that take the backends of `target` out of service and wait for
   * their requests. Empty if it has no such backend. Only configuration and peers decide. Can be repeated, and has an
   * undo.
   */
  drain?(config: C, target: DrainTarget, context: Omit<PlanContext, 'version'>): Step[];
  /**
   * The steps that put it back, and wait until it is used again. They fail where it is not, unless it was not before
   * it was taken out.
   */
  undrain?(config: C, target: DrainTarget, context: UndrainContext): Step[];
}

/** Checks the types of a taskserv and infers what its facts find. */
export function defineTaskserv<C, F extends Facts>(taskserv: Taskserv<C, F>): Taskserv<C, F> {
  return taskserv;
}

/** A taskserv whose configuration type is not known here, as a registry holds it. */
// biome-ignore lint/suspicious/noExplicitAny: the registry holds taskservs of many configurations
export type AnyTaskserv = Taskserv<any, any>;

/** A peer with one of its endpoints. */
export type OfferedEndpoint = Peer & { endpoint: Endpoint };

/** The peers that offer an endpoint of this name, one row each. */
export function listOffered(peers: readonly Peer[], endpoint: string): OfferedEndpoint[] {
  return peers.flatMap((peer) =>
    peer.endpoints.filter(({ name }) => name === endpoint).map((found) => ({ ...peer, endpoint: found })),
  );
}
