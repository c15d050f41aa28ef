import * as z from 'zod';
import type { Orphan, OrphansRequest } from '../operation/orphans.js';
import type { ProviderQuestion } from '../operation/provider-questions.js';
import { groupShare } from '../taskserv/groups/group-share.js';
import { batch, batchOperation } from './batch-request.js';
import { labels } from './labels.js';
import { definition } from './loaded-definition.js';
import { askAgainMs, importServer, operation, refresh } from './operation-request.js';
import { account, actor, name, word } from './request-fields.js';
import { testEnvironment } from './test-environment.js';

/**
 * Requests to workflows. The types of core/ are inferred from these schemas. `npm run generate` writes them as JSON
 * Schema to core/operation/request-schemas.ts, because workflows must not import zod.
 */

const infra = z.strictObject({
  workspace: name,
  infra: name,
  state: z.unknown().optional(),
  recovered: z.unknown().optional(),
  continueAfter: z.int().min(1).optional(),
  paceMs: z.int().min(1).optional(),
});

// Held to their types by the compiler: what an orphan has beside these fields passes, and a question's type goes by its topic.
const orphan = z.looseObject({
  provider: account,
  kind: word,
  name: word,
  id: word,
  scope: z.strictObject({ workspace: name, infra: word, uuid: word }),
});
const orphans = z.strictObject({
  workspace: name,
  actor,
  remove: z.array(orphan as unknown as z.ZodType<Orphan>).optional(),
  askAgainMs,
}) satisfies z.ZodType<OrphansRequest>;
const ask = z.strictObject({
  provider: account,
  topic: z.enum(['plans', 'images', 'zones', 'check']),
}) satisfies z.ZodType<ProviderQuestion>;

/** Fields of a type that its schema lacks: what brings one would be refused. There are none. */
type Forgotten =
  | Exclude<keyof OrphansRequest, keyof z.output<typeof orphans>>
  | Exclude<keyof ProviderQuestion, keyof z.output<typeof ask>>;

/** By what they are about: workflows by their type, the kinds of operations as one. */
export const requests = {
  ...{ operation, definition, batch, batchOperations: z.array(batchOperation), infra, refresh, importServer, orphans, ask },
  groupShare,
  labels,
  testEnvironment,
} satisfies [Forgotten] extends [never] ? Record<string, z.ZodType> : { forgotten: Forgotten };
