import * as z from 'zod';
import { MOST_PARALLEL } from '../operation/batch.js';
import { POWER_VERBS } from '../operation/power.js';
import { batchOnFailure, kind, onTimeout } from './request-fields.js';
import { reuse } from './reuse.js';
import { filePath, word } from './text-fields.js';

const label = (what: string) =>
  z
    .string()
    .regex(
      /^[a-z]([a-z0-9-]|\{i\}|\{each\})*$/,
      'use lower-case letters, digits and dashes, a letter first; {i} and {each} stand for the instance',
    )
    .max(80, 'at most 80 characters')
    .describe(what);

/** A name in which {i} and {each} may stand. */
const template = z
  .string()
  .max(80, 'at most 80 characters')
  .regex(/^([a-z0-9-]|\{i\}|\{each\})+$/, 'use lower-case letters, digits and dashes; {i} and {each} stand for the instance');
const priority = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)], {
  error: 'a priority is a whole number from 1 (most urgent) to 5',
});
const limit = z.int().min(1).max(MOST_PARALLEL);

/** One operation of a batch, or many alike, as a batch file says it. */
export const batchEntry = z.strictObject({
  name: label('Name of the operation; with `count` or `forEach` they are NAME-1 …, or where {i} and {each} say'),
  kind: kind.describe('Target: a whole infra, servers, or taskservs on servers'),
  do: z
    .enum(['ensure', 'apply', 'delete', ...POWER_VERBS])
    .default('ensure')
    .describe(
      '`ensure` creates and changes, `apply` (only clusters) also removes, `delete` only removes; `start`, `stop` and `restart` switch the named servers',
    ),
  file: filePath()
    .optional()
    .describe('Definition to apply, relative to this file. Default: the last applied definition of `infra`'),
  provider: word(80)
    .optional()
    .describe('With `file`: provider of servers that set none, instead of the provider in the definition'),
  region: word(80).optional().describe('With `file`: region of servers that set none, instead of the region in the definition'),
  infra: label("The infra; with `file` instead of the definition's own name, so that one definition makes many").optional(),
  servers: z.array(template).min(1).optional().describe('Only these servers'),
  taskservs: z.array(template).min(1).optional().describe('Only these taskservs'),
  count: z.int().min(1).max(10_000).optional().describe('Number of copies: {i} is 1, 2, 3 …'),
  forEach: z
    .union([z.literal('server'), z.array(word(80)).min(1)], {
      error: 'write a list of texts, or "server" to create an operation for each server',
    })
    .optional()
    .describe('One copy for each text in a list, or for each `server` in the definition: {each}'),
  needs: z.array(template).default([]).describe('Operations that must succeed first: names, or all copies of an entry'),
  after: z.array(template).default([]).describe('Operations that must end first, with any result'),
  priority: priority.optional().describe('Priority from 1 (highest) to 5. Default: the priority of the batch'),
  allowDestroy: z.boolean().default(false).describe('Allow replacing or deleting servers and volumes; always allowed for `delete`'),
});

/** Schema of a batch file: the single source of its types, defaults and texts. */
export const batchFile = z.strictObject({
  vars: reuse.vars,
  env: reuse.env,
  interpolate: reuse.interpolate,
  batch: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, 'use lower-case letters, digits and dashes, a letter first')
    .max(40, 'at most 40 characters')
    .describe('Name of the batch'),
  parallel: limit.default(20).describe('Maximum number of parallel operations'),
  accounts: z.record(word(80), limit).default({}).describe('Maximum number of parallel operations per provider account'),
  priority: priority.default(3).describe('Priority of operations without their own: 1 (highest) to 5'),
  onFailure: batchOnFailure
    .default('rollback')
    .describe(
      'Policy after a failure: roll back the batch or only the failed operation, keep everything and continue, or wait for a person',
    ),
  onTimeout: onTimeout
    .optional()
    .describe('Policy after a time-out of an operation: ask a person, keep its changes, or roll it back. Default: ask'),
  approve: z
    .literal('per-batch-stage')
    .optional()
    .describe(
      'Wait for an approval before each stage except the first. A stage contains operations whose dependencies are in earlier stages',
    ),
  operations: z.array(batchEntry).min(1).describe('Operations of the batch'),
});

export type BatchFile = z.output<typeof batchFile>;
export type BatchEntry = z.output<typeof batchEntry>;
