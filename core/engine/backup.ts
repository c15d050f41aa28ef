import type { StoreSize } from './engine.js';

/** What a backup is of, as its list shows it. */
export interface BackupInfo {
  file: string;
  /** Of the archive. */
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
  /** Where keys, secrets and the like were kept. */
  store: string;
  /** Infras at that time, where Temporal could be asked. */
  infras?: number;
  /** Operations and batches that ran at that time; absent where Temporal could not be asked. */
  operations?: number;
  /** What it has, by kind. */
  contents: Record<string, StoreSize>;
}

/** What was made. */
export interface NewBackup extends BackupInfo {
  /** Whether a copy of its encryption keys is known to exist elsewhere: without one it cannot be restored. */
  complete: boolean;
  /** What makes it complete. */
  hint?: string;
  /** The commands that restore it on another machine, in their order. */
  restore: string[];
  /** What is not in it and is needed with it, and what else a person should know: one line each. */
  notes: string[];
}

/** What was found of an archive; one that is damaged is an error. */
export interface BackupVerification extends BackupInfo {
  /** `authentic`: made with a key that is available, and not altered since. `unproven`: no such key is available, so hashes alone were checked. */
  seal: 'authentic' | 'unproven';
  /** Records and payloads that were opened with the key; 0 without it. */
  opened: number;
  /** The recovery copy that it was opened with, if one was named: with its keys alone. */
  recovery?: string;
  notes: string[];
}

export interface BackupRestoration extends BackupInfo {
  home: string;
  /** Where keys, secrets and the like are kept now. */
  into: string;
  restored: number;
  notes: string[];
}

/** A file in the folder of backups that is none is listed with the reason. */
export type BackupListing = BackupInfo | { file: string; problem: string };

/** What a sweep of the payload store found, and did. */
export interface SweepResult {
  /** Whether what is garbage was removed, or only counted. */
  removed: boolean;
  /** Histories that were read. */
  histories: number;
  /** What the store has now. */
  stored: StoreSize;
  /** What no history refers to, not put for as long as the grace period. */
  garbage: StoreSize;
  /** What no history refers to, put since. */
  young: StoreSize;
  /** What was not sealed for this namespace, or by a key that is not available: not ours to judge, and kept. */
  foreign: StoreSize;
  /** Payloads that a history refers to and that the store does not have. */
  missing: string[];
}
