import * as z from 'zod';
import { verifyBackup } from '../../backup/backups.js';
import { method } from '../../method.js';
import { backupName, backupResource, verifiedBackup } from '../../schemas/backup.js';

export const verifyTheBackup = method({
  name: 'backups.verify',
  summary: 'Read a whole backup, check each hash, and decrypt each record with the keys of the platform',
  input: z.strictObject({ name: backupName }),
  output: verifiedBackup,
  permission: { action: 'backup:read', resource: backupResource },
  errors: ['backup-damaged', 'bad-settings', 'no-backup'],
  run: ({ engine }, { name }) => verifyBackup(engine, name),
});
