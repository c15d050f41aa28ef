import * as z from 'zod';

/** The id of an operation, which is also its workflow's. */
export const operationId = z.string().min(1).max(1_000).describe('The id of the operation');
export const batchId = z.string().min(1).max(1_000).describe('The id of the batch');
export const workspace = z.string().min(1).max(1_000).describe('The name of the workspace');
/** An infra within its workspace. */
export const infra = { workspace, infra: z.string().min(1).max(1_000).describe('The name of the infra') };
export const why = z.string().max(100_000).optional().describe('The reason, for the record');
export const time = z.string().describe('ISO 8601');
