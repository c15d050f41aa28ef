import { quote } from '../../../sdk/index.js';
import type { Served } from '../mirror.js';
import type { Proof } from '../proof.js';

/** Runs a script of root on the host of a member, and returns what it prints. */
export type MemberShell = (member: string, script: string) => Promise<string>;

/** A service that is a group, and how a client on the host of a member uses it. */
export interface GroupService {
  /** Of the taskserv. */
  name: string;
  /** Its systemd unit. */
  unit: string;
  /** Configuration. `{ $artifact: NAME }` in it refers to one of `artifacts`. */
  /** Default: the taskserv's default version. */
  version?: string;
  config: Record<string, unknown>;
  /** Artifacts that a mirror of the test serves, by file name. */
  artifacts?: Proof['artifacts'];
  /** Secrets that the configuration names. */
  secrets?: Readonly<Record<string, string>>;
  /** Another setting, which needs a restart. */
  change: Record<string, unknown>;
  /** Where the setting is shown, and what is shown. */
  changed: { shown: string; is: string };
  /** Bash that writes a value by the member of this host. Succeeds only once the group has acknowledged it. */
  write(key: string, value: string): string;
  /** Bash that prints `KEY=VALUE` of each key, by the member of this host. */
  read(keys: readonly string[]): string;
  /** What replaces software that cannot be had here. Part of what is proven. */
  standIn?: string;
  /** Serves the files of the stand-in. */
  serve?(): Promise<Served | undefined>;
  /**
   * What a person has to do for the group, and the platform never does. Called once for a proof. The result is called again and
   * again as long as the proof plays.
   */
  attend?(): (shell: MemberShell) => Promise<void>;
}

/** Bash that runs a Python program for 20 seconds at most. */
export const runPython = (program: string, ...args: readonly string[]): string =>
  `timeout 20 python3 -c ${quote(program)} ${args.join(' ')}`;

/** Generated certificates for the members of a group. */
export const makeCertificates = (ca: string, names: readonly string[]) =>
  Object.fromEntries(['certificate', 'key', 'authority'].map((part) => [part, { generate: 'certificate', ca, names, part }]));
