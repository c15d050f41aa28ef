import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where a set-up keeps its state. Two homes never share anything but the cache. */
export interface Home {
  root: string;
  /** Which set-up this is. Beside the keys, so that it outlives the engine's database. */
  identity: string;
  /** Temporal's database file, its version mark, engine.json. */
  engine: string;
  /** Logs of engine and worker. */
  logs: string;
  /** What hosts printed, by operation. */
  operations: string;
  /** The operations of batches, by content address. */
  batches: string;
  /** Private keys, by infra; mode 0700. */
  keys: string;
  /** Secrets; mode 0700. */
  secrets: string;
  /** Encryption keys; mode 0700. */
  encryption: string;
  /** The age keys of this set-up, which open SOPS files. */
  ageKeys: string;
  /** Payloads too large for Temporal's history, encrypted. */
  payloads: string;
  /** The highest state of each infra's entity that was begun. */
  sequences: string;
  /** The accepted changes of each infra, from which its inventory can be rebuilt. */
  feeds: string;
  /** What operations can be rolled back by, by infra. */
  rollbacks: string;
  /** The database file of collections of rows; mode 0700. */
  rows: string;
  /** The ends of audit chains, outside of the database; mode 0700. */
  audit: string;
  /** Which run each message that starts one was used for. */
  claims: string;
  /** Artifacts that the worker fetched for hosts, by their hashes; mode 0700. What is missing is fetched again. */
  artifacts: string;
  /** Where backups are written unless another place is named. */
  backups: string;
  /** Which folders are workspaces, a file each, and which of them is active. */
  workspaces: string;
  /** The demo provider's state. */
  demo: string;
  /** The socket on which the worker answers this machine's front doors. */
  socket: string;
  /** The socket on which commands are carried out by a process that runs already. */
  warm: string;
}

/** The state folder: `PROVISIONING_HOME`, or `~/.local/share/provisioning`. */
export function homeOf(env: NodeJS.ProcessEnv = process.env): Home {
  const root = resolve(env.PROVISIONING_HOME ?? join(env.XDG_DATA_HOME ?? join(homedir(), '.local/share'), 'provisioning'));
  return {
    root,
    identity: join(root, 'identity.json'),
    engine: join(root, 'engine'),
    logs: join(root, 'logs'),
    operations: join(root, 'operations'),
    batches: join(root, 'batches'),
    keys: join(root, 'keys'),
    secrets: join(root, 'secrets'),
    encryption: join(root, 'encryption'),
    ageKeys: join(root, 'age', 'keys.txt'),
    payloads: join(root, 'payloads'),
    sequences: join(root, 'sequences'),
    feeds: join(root, 'feeds'),
    rollbacks: join(root, 'rollbacks'),
    rows: join(root, 'rows'),
    audit: join(root, 'audit'),
    claims: join(root, 'engine', 'claims'),
    artifacts: join(root, 'artifacts'),
    backups: join(root, 'backups'),
    workspaces: join(root, 'workspaces'),
    demo: join(root, 'demo'),
    socket: join(root, 'engine', 'worker.sock'),
    warm: join(root, 'engine', 'warm.sock'),
  };
}

/** What all set-ups of a user share: the engine's binary, host images. `PROVISIONING_CACHE`, or `~/.cache/provisioning`. */
export function cacheOf(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.PROVISIONING_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'provisioning'));
}
