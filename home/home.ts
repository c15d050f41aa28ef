import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Paths of a home's state. Two homes share only the cache. */
export interface Home {
  root: string;
  /** Identity of the home. Beside the keys, so that it outlives the engine's database. */
  identity: string;
  /** Temporal's database file, its version mark, engine.json. */
  engine: string;
  /** Logs of engine and worker. */
  logs: string;
  /** Output of hosts, by operation. */
  operations: string;
  /** Operations of batches, by content address. */
  batches: string;
  /** Private keys, by infra; mode 0700. */
  keys: string;
  /** Secrets; mode 0700. */
  secrets: string;
  /** Encryption keys; mode 0700. */
  encryption: string;
  /** Age keys of this home, which open SOPS files. */
  ageKeys: string;
  /** Payloads that are too large for Temporal's history, encrypted. */
  payloads: string;
  /** Highest state number of each infra's entity that was started. */
  sequences: string;
  /** Accepted changes of each infra, from which its inventory can be rebuilt. */
  feeds: string;
  /** Roll-back data of operations, by infra. */
  rollbacks: string;
  /** Database file for collections of rows; mode 0700. */
  rows: string;
  /** Ends of audit chains, outside of the database; mode 0700. */
  audit: string;
  /** Run for which each starting message was used. */
  claims: string;
  /** Artifacts that the worker fetched for hosts, by hash; mode 0700. Missing artifacts are fetched again. */
  artifacts: string;
  /** Default folder of backups. */
  backups: string;
  /** Registered workspace folders, one per file, and the active workspace. */
  workspaces: string;
  /** State of the demo provider. */
  demo: string;
  /** Socket on which the worker answers the front doors of this machine. */
  socket: string;
  /** Socket of the process that runs commands without a start of their own. */
  warm: string;
}

/** Returns the state folder: `PROVISIONING_HOME`, or `~/.local/share/provisioning`. */
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

/**
 * Returns the folder that all homes of a user share, for the engine's binary and host images: `PROVISIONING_CACHE`, or
 * `~/.cache/provisioning`.
 */
export function cacheOf(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.PROVISIONING_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'provisioning'));
}
