import type { Mirror } from '../../core/taskserv/mirrors.js';
import type { DebPackage } from '../support/mirror/deb.js';

/** Package with the vendor's name, unit and paths that answers on the vendor's port. */
export type StandInPackage = DebPackage;

/** Servers of a proof that replace the vendor's. */
export interface Served {
  mirrors: Mirror[];
  /** Returns the configuration with its artifacts. */
  filled(config: Record<string, unknown>): Record<string, unknown>;
  close(): Promise<void>;
}

/** Evidence on a host, without the platform's own means, that a service works. */
export interface Proof {
  /**
   * Root script that creates the service's dependencies on a server `b` beside it. Its output replaces `BESIDE` in
   * configurations. `ADDRESS` in it is the address of the service's own server.
   */
  beside?: string;
  /**
   * Root script on the service's own server. Its output depends on the release and replaces `RELEASE` in
   * configurations.
   */
  release?: string;
  /** Secrets that configurations refer to, by name. */
  secrets?: Readonly<Record<string, string>>;
  /** Configuration. `{ $artifact: NAME }` in it refers to one of `artifacts`. */
  config: Record<string, unknown>;
  /** Default: the taskserv's default version. */
  version?: string;
  /** Root script that fails if the service does not work: a write and a read, or a query and its answer. */
  works: string;
  /**
   * Records that the zone of a cloud's stand-in then has (`zone.ts`), seen without the platform. The zone is empty
   * once the service is removed.
   */
  zone?: ZoneRecords;
  /** Another configuration, and a script that fails if it is not in effect. */
  changed: { config: Record<string, unknown>; version?: string; works: string; zone?: ZoneRecords };
  /** Further taskservs that it needs on its host. */
  with?: { name: string; version?: string; config: Record<string, unknown> }[];
  /** Root script that runs after the further taskservs are installed, and before the service. */
  prepare?: string;
  /** Systemd units that are inactive after the removal of the service. */
  units: readonly string[];
  /** Script that fails if something other than units remains after the removal of the service. */
  gone?: string;
  /** Whether it sends UDP from ephemeral ports while it runs. These look like listening ports. */
  sendsUdp?: true;
  /** Artifacts that a mirror of the test serves, by file name. */
  artifacts?: Readonly<Record<string, Artifact>>;
  /** Replacement for software that is not available here, from its vendor's repository or as its artifact. */
  standIn?: StandIn;
  /** Serves files that are too large for `artifacts`. It fills in the further taskservs, too. */
  serve?(gateway: string): Promise<Served>;
  /** It runs containers with all rights, on a host that allows this. */
  nested?: true;
}

/**
 * Archive with one program: from a Python package, `NAME==VERSION` and the end of its path, or from a replacement
 * script. Or with libraries of Java, `GROUP:NAME:VERSION`, and all that they need, in the folder `libs` of a folder.
 */
export type Artifact = { /** Its path in the archive. */ as: string } & (
  | { wheel: string; file: string }
  | { script: string }
  | { jars: readonly string[] }
);

export interface StandIn {
  repository?: { uri: string; suite: string; component: string; packages: readonly StandInPackage[] };
}

/** Records of the stand-in's zone, by name within it and type: `www A`. */
export type ZoneRecords = Readonly<Record<string, readonly string[]>>;

export type Proofs = Readonly<Record<string, Proof>>;
