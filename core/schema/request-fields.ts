import * as z from 'zod';
import { OPERATION_KINDS } from '../names.js';
import { SHARE, type Share, type UpdateSettings } from '../operation/rolling.js';

/** Fields of what workflows are asked: plain, since they are written as JSON Schema. */

/** A name as `NAME` allows it, or such a name with a number. */
export const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,79}$/, 'a name has a lower-case letter, then at most 79 lower-case letters, digits and hyphens');
/** An id of a workflow, or of something at a provider. */
export const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,254}$/);
/** The id of an operation: files and records are named for it. */
export const operationId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,199}$/);
/** The id of a batch, with which those of its operations begin (`batchOperationId`). */
export const batchId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,179}$/);
export const text = z.string().max(4_000);
export const word = z.string().min(1).max(255);
export const actor = z.string().min(1).max(255);
/** A service account: the id of its tenant, empty for that of the home; its own id; its name. */
export const recordedPrincipal = z.strictObject({ tenant: z.string().max(255), account: word, name: word });
/** A provider, or one of its accounts: `hetzner/prod`. */
export const account = z.string().regex(/^[a-z][a-z0-9-]{0,39}(\/[a-z][a-z0-9-]{0,39})?$/);
export const count = z.int().min(0);
export const ms = z.number().min(0);
export const port = z.int().min(1).max(65_535);

export const kind = z.enum(OPERATION_KINDS);
/** Environment of a definition, by the name of its files. */
export const environment = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);
/**
 * Effect of a failure on the work of an operation; `rollback-service`: roll back only the failed services and servers.
 */
export const onFailure = z.enum(['rollback', 'rollback-service', 'keep', 'ask']);
/** Effect on an operation if a system did not answer well within its time limit. */
export const onTimeout = z.enum(['ask', 'keep', 'rollback']);
export const batchOnFailure = z.enum(['rollback', 'rollback-branch', 'keep', 'ask']);
export const approvalPoint = z.enum(['before-change', 'before-destroy', 'per-batch-stage']);
export const approve = z.array(approvalPoint);
/** From 1, the most urgent, to 5. */
export const priority = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]);

export const share = z.union([z.int().min(1), z.string().regex(SHARE)]) satisfies z.ZodType<Share>;
/** Declared settings of changes to servers in service. The others are inherited. */
export const update = z.strictObject({
  strategy: z.enum(['rolling', 'all-at-once']).optional(),
  /** How many hosts of a role are one wave; the next begins when all of it is healthy. */
  batch: share.optional(),
  /** How many hosts of a role may be out of service at a time, those that were broken before included. */
  maxUnavailable: share.optional(),
  /** Wait for a person after a failure, whatever the on-failure policy says. */
  pauseOnFailure: z.boolean().optional(),
}) satisfies z.ZodType<UpdateSettings>;

/** Durations in milliseconds, so that tests need not wait; and one size. */
export const timing = z.strictObject({
  /** How long a service may take to become healthy. Default 60,000. */
  healthMs: ms.optional(),
  /** First pause before a failed activity is tried again. Default 1,000. */
  retryMs: ms.optional(),
  /** First pause before an operation in the queue repeats its request to the infra. Default 30,000. */
  askAgainMs: ms.optional(),
  /** How long all attempts of an activity together may work. Default: a minute for looks, 15 for machines, 60 for work on hosts. */
  giveUpMs: ms.optional(),
  /** How long one call of a provider may take before it is tried again. Default 300,000. */
  callMs: ms.optional(),
  /** How long work on a host may last when the operation goes on in a new run, before it is asked to pause. Default 300,000. */
  drainMs: ms.optional(),
  /** Events of history after which the operation goes on in a new run, once what is at work has ended. Default 20,000. */
  continueAfter: z.int().min(100).optional(),
  /** How long an activity may be silent before its worker is taken for dead. Default 15,000. */
  heartbeatMs: ms.optional(),
});

/** Settings by key, each with the layer that said it. */
export const settings = z.record(word, z.strictObject({ value: z.unknown(), layer: word }));
