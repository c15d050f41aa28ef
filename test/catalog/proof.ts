import type { DebPackage } from '../support/mirror/deb.js';

/** A package of the vendor's name, unit and paths that answers on the vendor's port. */
export type StandInPackage = DebPackage;

/** What shows, on a host and by other means than the platform's, that a service does its work. */
export interface Proof {
  /**
   * A script of root's that makes, on a server `b` beside it, what the service needs of others. What it prints takes the
   * place of `BESIDE` in configurations, and `ADDRESS` in it is the address of the service's own server.
   */
  beside?: string;
  /** A script of root's on the service's own server; what it prints, which the release decides, takes the place of `RELEASE` in configurations. */
  release?: string;
  /** Secrets that configurations refer to, by name. */
  secrets?: Readonly<Record<string, string>>;
  /** `{ $artifact: NAME }` in it is one of `artifacts`. */
  config: Record<string, unknown>;
  /** Default: the taskserv's own. */
  version?: string;
  /** A script of root's that fails where the service does not work: a write and a read, a question and its answer. */
  works: string;
  /** What the zone of a stand-in of a cloud then has (`zone.ts`), seen past the platform; nothing once the service is removed. */
  zone?: ZoneRecords;
  /** Another configuration, and a script that fails where it is not in force. */
  changed: { config: Record<string, unknown>; version?: string; works: string; zone?: ZoneRecords };
  /** Further taskservs of its host, as it needs them there. */
  with?: { name: string; config: Record<string, unknown> }[];
  /** A script of root's that runs once those are there, and before it is. */
  prepare?: string;
  /** Systemd units that are not active once the service is removed. */
  units: readonly string[];
  /** A script that fails where something besides units is left once the service is removed. */
  gone?: string;
  /** It sends by UDP from ports that the kernel chooses, for as long as it runs: they look as if it listened there. */
  sendsUdp?: true;
  /** What a mirror of the test's serves, by the names of the files. */
  artifacts?: Readonly<Record<string, Artifact>>;
  /** The software itself cannot be had here: what serves in its place, by its vendor's repository or as its artifact. */
  standIn?: StandIn;
}

/** An archive of one program: out of a Python package, `NAME==VERSION` and the end of its path, or what stands in for it. */
export type Artifact = { /** Its path in the archive. */ as: string } & ({ wheel: string; file: string } | { script: string });

export interface StandIn {
  repository?: { uri: string; suite: string; component: string; packages: readonly StandInPackage[] };
}

/** Records of the stand-in's zone, by name within it and type: `www A`. */
export type ZoneRecords = Readonly<Record<string, readonly string[]>>;

export type Proofs = Readonly<Record<string, Proof>>;
