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
  error: 'a priority is a whole number from 1, the most urgent, to 5',
});
const limit = z.int().min(1).max(MOST_PARALLEL);

/** One operation of a batch, or many alike, as a batch file says it. */
export const batchEntry = z.strictObject({
  name: label('Name of the operation; with `count` or `forEach` they are NAME-1 …, or where {i} and {each} say'),
  kind: kind.describe('What it is about: a whole infra, servers, or taskservs on them'),
  do: z
    .enum(['ensure', 'apply', 'delete', ...POWER_VERBS])
    .default('ensure')
    .describe(
      '`ensure` makes things what the definition says, `apply` (of a cluster) also removes what it no longer names, `delete` takes them away; `start`, `stop` and `restart` switch the servers that are named',
    ),
  file: filePath().optional().describe('The definition to apply, beside this file; without it the last applied one of `infra`'),
  provider: word(80)
    .optional()
    .describe("With `file`: where servers come from that do not say it themselves, instead of the definition's own provider"),
  region: word(80)
    .optional()
    .describe("With `file`: where servers are that do not say it themselves, instead of the definition's own region"),
  infra: label("The infra; with `file` instead of the definition's own name, so that one definition makes many").optional(),
  servers: z.array(template).min(1).optional().describe('Only these servers'),
  taskservs: z.array(template).min(1).optional().describe('Only these taskservs'),
  count: z.int().min(1).max(10_000).optional().describe('So many of it: {i} is 1, 2, 3 …'),
  forEach: z
    .union([z.literal('server'), z.array(word(80)).min(1)], {
      error: 'write a list of texts, or "server" for one of each server of the definition',
    })
    .optional()
    .describe('One for each text of a list, or for each `server` of the definition: {each}'),
  needs: z.array(template).default([]).describe('Operations that must have succeeded before; by name, or all of one entry'),
  after: z.array(template).default([]).describe('Operations that must be over before, however they ended'),
  priority: priority.optional().describe("From 1, the most urgent, to 5. Default: the batch's"),
  allowDestroy: z.boolean().default(false).describe('Let it replace or delete servers and volumes; `delete` may'),
});

/** What a batch file may say: the single source of its types, defaults and texts. */
export const batchFile = z.strictObject({
  vars: reuse.vars,
  env: reuse.env,
  interpolate: reuse.interpolate,
  batch: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, 'use lower-case letters, digits and dashes, a letter first')
    .max(40, 'at most 40 characters')
    .describe('Name of the batch'),
  parallel: limit.default(20).describe('Operations at work at once'),
  accounts: z.record(word(80), limit).default({}).describe('The same for each provider account'),
  priority: priority.default(3).describe('Of operations that name none: 1, the most urgent, to 5'),
  onFailure: batchOnFailure
    .default('rollback')
    .describe(
      'After a failure: roll back the whole batch, or what was done only for the failed one; keep all and go on; or wait for a person',
    ),
  onTimeout: onTimeout
    .optional()
    .describe(
      'When something does not answer an operation for as long as it is tried: wait for a person to decide, keep what the operation did, or roll it back, as after a failure. Default: ask',
    ),
  approve: z
    .literal('per-batch-stage')
    .optional()
    .describe('Wait for an approval before each stage but the first; a stage is what has all its dependencies in earlier ones'),
  operations: z.array(batchEntry).min(1).describe('What is to be done'),
});

export type BatchFile = z.output<typeof batchFile>;
export type BatchEntry = z.output<typeof batchEntry>;
