import * as z from 'zod';
import type { BatchDecision, BatchMark, BatchRow, BatchState, BatchSummary } from '../../core/operation/batch.js';
import type { BatchSubmission } from '../../core/schema/batch-request.js';
import { requests } from '../../core/schema/requests.js';
import { time } from './ids.js';
import { controlEntry, kind } from './operation.js';
import { typeSchema } from './typed.js';

const text = z.string();
const whole = z.int().min(0);
const indices = z.array(z.union([whole, z.tuple([whole, whole])]));
const status = z.enum(['running', 'waiting', 'rolling-back', 'done', 'failed', 'rolled-back', 'canceled', 'superseded']);
export const mark = z.enum([
  ...(['waiting', 'asking', 'running', 'done', 'failed'] as const),
  ...(['skipped', 'canceled', 'superseded', 'undoing', 'undone', 'left'] as const),
]) satisfies z.ZodType<BatchMark>;
export const decision = z.enum([
  ...(['retry', 'skip', 'rollback', 'rollback-branch', 'keep', 'resume'] as const),
]) satisfies z.ZodType<BatchDecision>;

/** Its required content is checked when it is stored. */
const object = z.looseObject({});

/** A batch as a front door hands it over: its operations and definitions are checked when they are stored. */
export const batchSubmission = typeSchema<Omit<BatchSubmission, 'actor' | 'principal'> & { actor?: string }>()(
  requests.batch.omit({ actor: true, principal: true, operations: true, pageSize: true, pages: true, stages: true }).extend({
    actor: text.optional(),
    operations: z.array(object as unknown as z.ZodType<BatchSubmission['operations'][number]>),
    definitions: z.record(z.string(), object as unknown as z.ZodType<BatchSubmission['definitions'][string]>),
  }),
);

/** State of a batch, also after its end. */
export const batchState = typeSchema<BatchState>()(
  z.strictObject({
    batch: text,
    name: text,
    workspace: text,
    status,
    onFailure: z.enum(['rollback', 'rollback-branch', 'keep', 'ask']),
    parallel: whole,
    accounts: z.record(z.string(), whole),
    operations: whole,
    pageSize: whole,
    pages: z.array(text),
    stages: z.array(whole),
    marks: text.describe('State of each operation, as one letter'),
    again: z.record(z.string(), whole),
    why: z.record(z.string(), text),
    waiting: text.optional(),
    undecided: z.array(whole),
    stopping: z.enum(['failure', 'canceled']).optional(),
    unsigned: time.optional(),
    letsRun: z.literal(true).optional(),
    branch: z.literal(true).optional(),
    cut: text.optional(),
    undo: indices.optional(),
    nothing: indices.optional(),
    of: text.optional(),
    approved: whole,
    control: z.array(controlEntry),
    continued: whole,
    actor: text,
  }),
);
/** A state of a batch; `waiting` and `end` are the last event of a stream. */
export const batchEvent = z.strictObject({
  type: z.enum(['state', 'waiting', 'end']),
  cursor: text.describe('Pass it as `after` to skip this state'),
  state: batchState,
});
export type BatchEvent = z.output<typeof batchEvent>;
/** One line in the record of a batch. */
export const batchRow = typeSchema<BatchRow>()(
  z.strictObject({
    index: whole,
    name: text,
    kind,
    verb: z.enum(['ensure', 'delete', 'start', 'stop', 'restart']),
    infra: text,
    stage: whole,
    mark,
    operation: text.optional(),
    undo: text.optional(),
    why: text.optional(),
  }),
);
/** One row in a list of batches. */
export const batchSummary = typeSchema<BatchSummary>()(
  z.strictObject({ batch: text, status, actor: text, started: time, ended: time.optional() }),
);
