import * as z from 'zod';
import type { Definition } from '../definition/definition.js';
import { type Indices, MOST_PARALLEL } from '../operation/batch.js';
import { verb } from './operation-request.js';
import {
  account,
  actor,
  approve,
  batchId,
  batchOnFailure,
  count,
  environment,
  id,
  kind,
  name,
  onFailure,
  onTimeout,
  priority,
  recordedPrincipal,
  settings,
  timing,
  update,
  word,
} from './request-fields.js';

const contentAddress = z.string().regex(/^[0-9a-f]{64}$/);

/** Indices of operations, compact: single ones, and runs `[first, last]`. */
export const indices = z.array(z.union([count, z.tuple([count, count])])) satisfies z.ZodType<Indices>;

/** How an operation is carried out, over what its batch and its definition say; as in the request of an operation. */
export const operationManner = z.strictObject({
  onFailure: onFailure.optional(),
  onTimeout: onTimeout.optional(),
  priority: priority.optional(),
  approve: approve.optional(),
  timing: timing.optional(),
  update: update.optional(),
  settings: settings.optional(),
});

/** One operation of a batch, after loading: no placeholder, no group, dependencies by index. */
export const batchOperation = z.strictObject({
  /** Unique in the batch. */
  name: word,
  kind,
  verb,
  infra: name,
  servers: z.array(name).optional(),
  taskservs: z.array(word).optional(),
  /** Content address of the definition that it applies; without it the infra's last applied one. */
  definition: contentAddress.optional(),
  /** The environment that the definition was read for, as in the request of an operation. */
  environment: environment.optional(),
  /** Also removes what the definition no longer names (kind `cluster`). */
  prune: z.boolean().optional(),
  allowDestroy: z.boolean().optional(),
  /** Must have succeeded before it; indices smaller than its own. */
  needs: indices.optional(),
  /** Must be over before it, however they ended; indices smaller than its own. */
  after: indices.optional(),
  /** Length of the longest chain of dependencies before it. Operations are sorted by it. */
  stage: count,
  ...operationManner.shape,
  /** Provider accounts that it works on. */
  accounts: z.array(account),
});

const limit = z.int().min(1).max(MOST_PARALLEL);

/** Request of a batch, without its operations. */
export const batchHeader = z.strictObject({
  /** `batch-<name>-<random>`, never used twice; the workflow's id, and how its operations' ids begin. */
  id: batchId,
  name: word,
  workspace: name,
  actor,
  /** The service account that submitted it, as in the request of an operation. */
  principal: recordedPrincipal.optional(),
  /** Operations at work at once. */
  parallel: limit,
  /** The same for each provider account. */
  accounts: z.record(z.string(), limit),
  /** Priority of operations without one: 1, the most urgent, to 5. */
  priority,
  onFailure: batchOnFailure,
  onTimeout: onTimeout.optional(),
  approve: approve.optional(),
  timing: timing.optional(),
  /** The ended batch that this one rolls back. */
  of: id.optional(),
  /** When it was submitted, by Temporal's clock (ISO time). */
  submitted: word.optional(),
});

/** The input of the workflow: the operations are pages in the store, by content address. */
export const batch = batchHeader.extend({
  operations: count,
  /** Operations a page. */
  pageSize: z.int().min(1),
  pages: z.array(contentAddress),
  /** Operations of each stage. */
  stages: z.array(count),
  /** Events of history after which it continues as new. Default 4,000. */
  continueAfter: z.int().min(1).optional(),
});

/** One operation of a batch, after loading: no placeholder, no group, dependencies by index. */
export type BatchOperation = z.output<typeof batchOperation>;

/** How an operation is carried out, over what its batch and its definition say. */
export type OperationManner = z.output<typeof operationManner>;

/** Request of a batch, without its operations. */
export type BatchHeader = z.output<typeof batchHeader>;

/**
 * Submission of a front door: the operations, each after its dependencies, and the definitions that they name by key.
 */
export interface BatchSubmission extends BatchHeader {
  operations: BatchOperation[];
  definitions: Record<string, Definition>;
  continueAfter?: number;
}

/** The input of the workflow: the operations are pages in the store, by content address. */
export type BatchRequest = z.output<typeof batch>;
