import * as z from 'zod';
import { LIMITS } from '../../../core/limits.js';
import { MOST_ENVIRONMENTS } from '../../limits/environments/record-environment.js';
import { environment, time } from '../../schemas/ids.js';

const count = z.int().min(0);

/** Summary of an exported workspace, without its content. */
export const workspaceSummary = z.strictObject({
  id: z.uuid().describe('Id of the export'),
  workspace: z.string(),
  at: time,
  by: z.string().describe('Author of the export'),
  setUp: z.string().describe('Id of the platform that it comes from'),
  frozen: z.boolean().describe('Whether the platform that it comes from refuses changes in the workspace since'),
  infras: z.array(
    z.strictObject({
      ...{ infra: z.string(), uuid: z.string(), servers: count, networks: count },
      environments: z
        .array(environment)
        .max(MOST_ENVIRONMENTS)
        .optional()
        .describe('Its environments, the last submitted one first'),
    }),
  ),
  secrets: count.describe('Number of secrets, generated ones included'),
  operations: count.describe('Number of ended operations'),
  sources: count.describe('Number of source files'),
});

export type WorkspaceSummary = z.output<typeof workspaceSummary>;

export const partHash = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

/** Parts of an exported workspace, in order. */
export const workspaceParts = z
  .array(
    z.strictObject({
      hash: partHash.describe('SHA-256 of its bytes'),
      size: z.int().min(1).max(LIMITS.workspacePart).describe('Bytes'),
    }),
  )
  .max(Math.ceil(LIMITS.workspaceTransfer / LIMITS.workspacePart));

export type WorkspaceParts = z.output<typeof workspaceParts>;

/** Bytes of a part in base64. */
export const partData = z.base64().max(Math.ceil(LIMITS.workspacePart / 3) * 4);

/** The content of an exported workspace, compressed and in base64. */
export const workspaceData = z.base64().max(LIMITS.workspace).describe('Content with all secrets: gzip, in base64');
