import * as z from 'zod';
import { listBackups } from '../../backup/backups.js';
import { method } from '../../method.js';
import { backupResource, listedBackup } from '../../schemas/backup.js';

export const listTheBackups = method({
  name: 'backups.list',
  summary: 'List the backups of the platform by their own descriptions, newest first',
  input: z.strictObject({}),
  output: z.array(listedBackup),
  permission: { action: 'backup:read', resource: backupResource },
  errors: ['bad-settings'],
  run: ({ engine }) => listBackups(engine),
});
