import * as z from 'zod';
import { operation } from '../../core/schema/operation-request.js';
import { planLine } from '../../core/schema/planned.js';
import { time } from './ids.js';
import { fileDiff } from './operation.js';

/** The form of plan files that this version writes, and the highest that it reads. */
export const PLAN_FORMAT = 1;

const text = z.string();
const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** A plan as it lies in a file. No secret is in it: what refers to one has its name. */
export const savedPlan = z.strictObject({
  provisioningPlan: z.literal(PLAN_FORMAT).describe('The form of this file'),
  hash: digest.describe('What tells the plan from others: of its steps'),
  checksum: digest.describe('Of all else that is in the file'),
  made: z
    .strictObject({ at: time, by: text, version: text, from: text.optional() })
    .describe('When, by whom, by which version, from which file'),
  setUp: text.optional().describe('Of which set-up its infra is'),
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
    .describe('What is asked for: with its definition, whatever becomes of the file that it was read from'),
  steps: z.array(planLine.extend({ diff: fileDiff.optional() })).describe('What is done, in order'),
});

/** A plan as it lies in a file. */
export type SavedPlan = z.output<typeof savedPlan>;
