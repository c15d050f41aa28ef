import * as z from 'zod';
import { time } from '../../app/schemas/ids.js';
import { fileDiff } from '../../app/schemas/operation.js';
import { operation } from '../../core/schema/operation-request.js';
import { planLine } from '../../core/schema/planned.js';

/** Format of plan files that this version writes, and the highest that it reads. */
export const PLAN_FORMAT = 1;

const text = z.string();
const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Schema of a saved plan. It holds no secrets, only their names. */
export const savedPlan = z.strictObject({
  provisioningPlan: z.literal(PLAN_FORMAT).describe('Format version of this file'),
  hash: digest.describe('Hash of the steps'),
  checksum: digest.describe('Hash of everything else in the file'),
  made: z
    .strictObject({ at: time, by: text, version: text, from: text.optional() })
    .describe('Time, author, version and source file'),
  setUp: text.optional().describe('Platform of the infra'),
  workspace: operation.shape.workspace,
  infra: operation.shape.infra,
  request: operation
    .pick({
      kind: true,
      intent: true,
      definition: true,
      onFailure: true,
      onTimeout: true,
      priority: true,
      allowDestroy: true,
      approve: true,
      update: true,
    })
    .describe('Request with its definition, independent of later changes to the file'),
  steps: z.array(planLine.extend({ diff: fileDiff.optional() })).describe('Steps in order'),
});

/** Saved plan, as stored in a file. */
export type SavedPlan = z.output<typeof savedPlan>;
