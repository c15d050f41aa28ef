import type { BackupListing, BackupVerification, NewBackup, SweepResult } from '../../core/engine/backup.js';
import type { Reporter } from '../../core/report.js';

/** Receives the reports of long work, and can stop it. */
export interface Watch {
  report: Reporter;
  signal?: AbortSignal | undefined;
}

/** Makes and reads backups of the home: a program of its own does the work. Paths are absolute. */
export interface BackupProgram {
  /** @param options `file` takes precedence over `folder` */
  create(options: { file?: string | undefined; folder: string; logs: boolean }, watch: Watch): Promise<NewBackup>;
  list(folder: string): Promise<BackupListing[]>;
  verify(file: string, watch: Watch): Promise<BackupVerification>;
  /** Removes payloads that no history refers to, or only counts them. Newer ones than `graceHours` stay. */
  sweep(options: { check: boolean; graceHours?: number | undefined }, watch: Watch): Promise<SweepResult>;
}
