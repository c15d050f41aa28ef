import type { Text } from '../taskserv/secret.js';
import type { ArtifactAction } from './artifact.js';

/** A zone of the DNS at an account of a provider, and what marks records in it as ours. */
export interface ZoneAt {
  /** With its account: `hetzner/prod`. */
  provider: string;
  zone: string;
  /** One that no other infra has. */
  owner: string;
}

/** Addresses of a name. */
export interface Leads {
  /** In seconds. */
  ttl: number;
  addresses: string[];
}

/**
 * Sets or removes the addresses of a name at the provider of its zone. The worker does it, because it has the
 * provider's credentials, and only if no records of others have that name.
 */
export interface RecordsAction extends ZoneAt {
  name: string;
  /** Absent: the records are removed. Without `addresses`: the address of the server. */
  to?: { ttl: number; addresses?: string[] };
  /** The platform's former record, which an undo restores. `server` is the one that set it. */
  from?: Leads & { server: string };
}

/** A file as a step writes it. */
export interface WantedFile {
  path: string;
  /** May refer to secrets. */
  content: Text;
  /** The content is base64 of what is no text. */
  base64?: true;
  /** Octal, four digits. Default `0644`. */
  mode?: string;
  /** `user:group`. Default `root:root`. */
  owner?: string;
  /** Others write in it, too: a removal takes out what is ours, and an adopted host gets no former copy of it. */
  shared?: true;
}

export interface RunAction {
  /** A shell script, run by `bash -euo pipefail` as root. Never holds a secret: arguments are visible to all. */
  run: string;
  /** Undoes it; absent means that the step says `irreversible: true`. Never deletes data. */
  undo?: string;
  /** Environment of `run` and `undo`; may refer to secrets. */
  env?: Record<string, Text>;
  /** Standard input of `run`; may refer to secrets. */
  stdin?: Text;
  /**
   * The change may cut the connection. Unless a NEW connection to the host confirms it within `seconds`, the host
   * itself runs `revert`, and the step fails.
   */
  confirm?: { seconds: number; revert: string };
  /**
   * Things that the step changes and that the host may have had before. An adopted host keeps them, and restores them
   * when the service is removed.
   */
  changes?: { files?: string[]; accounts?: string[]; groups?: string[]; units?: string[] };
  /**
   * A member of a group serves on meanwhile, or the step itself waits until the others can do without it. Else a script is
   * taken for one that may restart the service, and is refused where the group would be left with too few.
   */
  keepsServing?: true;
}

export interface ServiceAction {
  name: string;
  state: 'running' | 'stopped';
  enabled: boolean;
  /** `reload` keeps connections; default `restart`. Only used where the service already runs. */
  change?: 'restart' | 'reload';
  /** Files the service reads: their hash is recorded on the host after a successful start, restart or reload. */
  reads?: string[];
}

/** Kinds of things whose state is recorded before a step changes them. */
export type Thing = 'file' | 'directory' | 'unit' | 'account' | 'group';

/** Brings back what an adopted host had before a service changed it, as it is noted there. */
export type RestoreAction =
  | { what: Thing; name: string; was: 'there' | 'absent'; ifEmpty?: true }
  /** Packages that came with services and are needed by nothing else, and others that went. */
  | { what: 'packages'; remove: string[]; install: string[] };

/**
 * A directory that is made if it is missing, with the mode `0755` and the owner `root:root` unless the step says others.
 * One that is there gets only what the step says of it.
 */
export interface DirectoryAction {
  path: string;
  /** Octal, four digits. */
  mode?: string;
  /** `user:group`. */
  owner?: string;
  /** One that is there stays as it is: mode and owner are for a new one. */
  keep?: true;
}

/**
 * One action on a host, as data. It is the preview, the record and the work order. Its title is imperative, and is
 * clear without context in a log.
 *
 * An undo restores a file's former content, removes a package that was absent (its data stays), fetches a removed
 * artifact again, returns a service to its former state, and restores the addresses of a name.
 */
export type Step = { title: string; irreversible?: true } & (
  | RunAction
  | { file: WantedFile }
  | { absent: { path: string } }
  | { directory: DirectoryAction }
  | { package: { name: string; state: 'present' | 'absent'; version?: string } }
  | { artifact: ArtifactAction }
  | { service: ServiceAction }
  | { records: RecordsAction }
  | { restore: RestoreAction }
);

/** Kind of a step's action. */
export type StepKind = 'run' | 'file' | 'absent' | 'directory' | 'package' | 'artifact' | 'service' | 'records' | 'restore';

export function kindOf(step: Step): StepKind {
  if ('run' in step) return 'run';
  if ('file' in step) return 'file';
  if ('absent' in step) return 'absent';
  if ('directory' in step) return 'directory';
  if ('package' in step) return 'package';
  if ('artifact' in step) return 'artifact';
  if ('records' in step) return 'records';
  if ('restore' in step) return 'restore';
  return 'service';
}
