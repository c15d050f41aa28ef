import * as z from 'zod';
import { verifyBackup } from '../../backup/backups.js';
import { streamReports } from '../../backup/stream-reports.js';
import { stream } from '../../method.js';
import { backupName, backupPath, backupResource, USE_PATH, verifiedBackup, workEvent } from '../../schemas/backup.js';

export const verifyTheBackup = stream({
  name: 'backups.verify',
  summary: 'Read a whole backup, check each hash, and decrypt each record with the keys of the platform',
  input: z.union([z.strictObject({ name: backupName }), z.strictObject({ file: backupPath })]),
  output: workEvent(verifiedBackup),
  permission: {
    actions: ['backup:read', USE_PATH],
    action: (asked) => ('file' in asked ? USE_PATH : 'backup:read'),
    resource: backupResource,
  },
  errors: ['backup-damaged', 'bad-settings', 'no-backup'],
  run: ({ engine }, asked, { signal }) => streamReports((watch) => verifyBackup(engine, asked, watch), signal),
});
