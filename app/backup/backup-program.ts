import type { BackupListed, BackupMade, BackupVerified } from '../../core/engine/backup.js';

/** Makes and reads backups of the home. The worker has it: a program of its own does the work. */
export interface BackupProgram {
  create(options: { folder: string; logs: boolean }): Promise<BackupMade>;
  list(folder: string): Promise<BackupListed[]>;
  verify(file: string): Promise<BackupVerified>;
}
