import * as z from 'zod';
import { listBackups } from '../../backup/backups.js';
import { method } from '../../method.js';
import { backupPath, backupResource, listedBackup, USE_PATH } from '../../schemas/backup.js';

export const listTheBackups = method({
  name: 'backups.list',
  summary: 'List the backups of the platform by their own descriptions, newest first',
  input: z.strictObject({ folder: backupPath.optional() }),
  output: z.array(listedBackup),
  permission: {
    actions: ['backup:read', USE_PATH],
    action: ({ folder }) => (folder === undefined ? 'backup:read' : USE_PATH),
    resource: backupResource,
  },
  rest: { verb: 'GET', path: '/backups' },
  errors: ['bad-settings'],
  run: ({ engine }, input) => listBackups(engine, input),
});
