import type { StoreSize } from './engine.js';

/** A backup in a list. */
export interface BackupInfo {
  file: string;
  /** Size of the archive in bytes. */
  bytes: number;
  id: string;
  /** ISO time. */
  created: string;
  /** The id of the set-up that it is of. */
  setup: string;
  /** The id of the key that sealed it, which is not in it. */
  key: string;
  /** Temporal's data: the home's own file, or a configured service, which a backup does not have. */
  engine: { kind: 'own'; line: string } | { kind: 'configured'; address: string } | { kind: 'none' };
  /** Store of keys, secrets and other data at that time. */
  store: string;
  /** Infras at that time, where Temporal could be asked. */
  infras?: number;
  /** Operations and batches that ran at that time; absent where Temporal could not be asked. */
  operations?: number;
  /** Number and size of its contents, by kind. */
  contents: Record<string, StoreSize>;
}

/** A new backup. */
export interface NewBackup extends BackupInfo {
  /** Whether a copy of its encryption keys is known to exist elsewhere: without one it cannot be restored. */
  complete: boolean;
  /** Hint to make it complete. */
  hint?: string;
  /** The commands that restore it on another machine, in their order. */
  restore: string[];
  /** Things that it lacks and that a restore needs, and further notes, one line each. */
  notes: string[];
}

/** Result of checking an archive. A damaged archive is an error. */
export interface BackupVerification extends BackupInfo {
  /**
   * `authentic`: made with an available key, and not changed since. `unproven`: no such key is available, so only
   * hashes were checked.
   */
  seal: 'authentic' | 'unproven';
  /** Records and payloads that were opened with the key; 0 without it. */
  opened: number;
  /** The recovery copy that opened it, if one was named. Only its keys were used. */
  recovery?: string;
  notes: string[];
}

export interface BackupRestoration extends BackupInfo {
  home: string;
  /** Present store of keys, secrets and other data. */
  into: string;
  restored: number;
  notes: string[];
}

/** A file in the folder of backups. If it is not a backup, it is listed with the reason. */
export type BackupListing = BackupInfo | { file: string; problem: string };

/** Result of a sweep of the payload store. */
export interface SweepResult {
  /** Whether what is garbage was removed, or only counted. */
  removed: boolean;
  /** Histories that were read. */
  histories: number;
  /** Present content of the store. */
  stored: StoreSize;
  /** Payloads without a reference in a history that are older than the grace period. */
  garbage: StoreSize;
  /** Payloads without a reference in a history that are younger. */
  young: StoreSize;
  /** Payloads of other namespaces, or with an unavailable key. They are kept. */
  foreign: StoreSize;
  /** Payloads that a history refers to and that the store does not have. */
  missing: string[];
}
