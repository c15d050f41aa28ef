import * as z from 'zod';
import { createBackup } from '../../backup/backups.js';
import { streamReports } from '../../backup/stream-reports.js';
import { stream } from '../../method.js';
import { backupPath, backupResource, madeBackup, USE_PATH, workEvent } from '../../schemas/backup.js';

export const createTheBackup = stream({
  name: 'backups.create',
  summary: 'Write a backup of the platform into its folder of backups, or to a path, while operations continue',
  input: z.strictObject({
    logs: z.boolean().optional().describe('Whether it contains the output of hosts (default: true)'),
    file: backupPath.optional(),
    folder: backupPath.optional(),
  }),
  output: workEvent(madeBackup),
  permission: {
    actions: ['backup:create', USE_PATH],
    action: ({ file, folder }) => (file === undefined && folder === undefined ? 'backup:create' : USE_PATH),
    resource: backupResource,
  },
  errors: [
    ...['backup-exists', 'backup-too-large', 'bad-settings', 'engine-backup', 'engine-file-version', 'engine-runs'],
    'nothing-to-back-up',
  ],
  run: ({ engine }, input, { signal }) => streamReports((watch) => createBackup(engine, input, watch), signal),
});
