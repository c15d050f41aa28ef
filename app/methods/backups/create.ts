import * as z from 'zod';
import { createBackup } from '../../backup/backups.js';
import { method } from '../../method.js';
import { backupResource, madeBackup } from '../../schemas/backup.js';

export const createTheBackup = method({
  name: 'backups.create',
  summary: 'Write a backup of the platform into its folder of backups, while operations continue',
  input: z.strictObject({ logs: z.boolean().optional().describe('Whether it contains the output of hosts (default: true)') }),
  output: madeBackup,
  permission: { action: 'backup:create', resource: backupResource },
  errors: [
    ...['backup-exists', 'backup-too-large', 'bad-settings', 'engine-backup', 'engine-file-version', 'engine-runs'],
    'nothing-to-back-up',
  ],
  run: ({ engine }, input) => createBackup(engine, input),
});
