import * as z from 'zod';
import { LIMITS } from '../../../core/limits.js';
import { time } from '../../schemas/ids.js';

const count = z.int().min(0);

/** Summary of an exported workspace, without its content. */
export const workspaceSummary = z.strictObject({
  id: z.uuid().describe('Id of the export'),
  workspace: z.string(),
  at: time,
  by: z.string().describe('Author of the export'),
  setUp: z.string().describe('Id of the platform that it comes from'),
  frozen: z.boolean().describe('Whether the platform that it comes from refuses changes in the workspace since'),
  infras: z.array(z.strictObject({ infra: z.string(), uuid: z.string(), servers: count, networks: count })),
  secrets: count.describe('Number of secrets, generated ones included'),
  operations: count.describe('Number of ended operations'),
  sources: count.describe('Number of source files'),
});

export type WorkspaceSummary = z.output<typeof workspaceSummary>;

/** The content of an exported workspace, compressed and in base64. */
export const workspaceData = z.base64().max(LIMITS.workspace).describe('Content with all secrets: gzip, in base64');
