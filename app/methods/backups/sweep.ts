import * as z from 'zod';
import { sweepBackups } from '../../backup/backups.js';
import { streamReports } from '../../backup/stream-reports.js';
import { stream } from '../../method.js';
import { backupResource, sweptPayloads, workEvent } from '../../schemas/backup.js';

export const sweepThePayloads = stream({
  name: 'backups.sweep',
  summary: 'Remove large payloads that no operation refers to any more, or count them, while operations continue',
  input: z.strictObject({
    check: z.boolean().optional().describe('Whether it only counts them (default: false)'),
    graceHours: z.number().min(1).max(100_000).optional().describe('Payloads that are newer than this stay (default: 24)'),
  }),
  output: workEvent(sweptPayloads),
  permission: {
    actions: ['backup:read', 'backup:sweep'],
    action: ({ check }) => (check ? 'backup:read' : 'backup:sweep'),
    resource: backupResource,
  },
  errors: ['bad-settings', 'engine-not-running', 'sweep-grace', 'unknown-encryption-key'],
  run: ({ engine }, input, { signal }) => streamReports((watch) => sweepBackups(engine, input, watch), signal),
});
