import * as z from 'zod';
import { USER_NAME } from '../definition/addresses.js';
import type { Definition, ExistingHost, ServerSpec, TaskservSpec } from '../definition/definition.js';
import type { BatchOperation, BatchRequest, Indices } from '../operation/batch.js';
import { MOST_PARALLEL } from '../operation/batch.js';
import type { ImportRequest, RefreshRequest } from '../operation/drift.js';
import type { EarlyLook } from '../operation/machine-plan.js';
import type { Grant, OperationRequest, Timing } from '../operation/operation.js';
import type { Orphan, OrphansRequest } from '../operation/orphans.js';
import type { ProviderQuestion } from '../operation/provider-questions.js';
import { SHARE, type UpdateSettings } from '../operation/rolling.js';
import type { Endpoint } from '../taskserv/taskserv.js';

/**
 * What workflows may be asked. Held to the types of core/ by the compiler, written as JSON Schema to
 * core/operation/request-schemas.ts by `npm run generate`: what goes to workflows must do without zod.
 */

/** As `NAME` has it, with the number of one of many behind it. */
const name = z.string().regex(/^[a-z][a-z0-9-]{0,79}$/);
/** An id of a workflow, or of something at a provider. */
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,254}$/);
const text = z.string().max(4_000);
const word = z.string().min(1).max(255);
const actor = z.string().min(1).max(255);
/** A provider, or one of its accounts: `hetzner/prod`. */
const account = z.string().regex(/^[a-z][a-z0-9-]{0,39}(\/[a-z][a-z0-9-]{0,39})?$/);
const count = z.int().min(0);
const ms = z.number().min(0);

const kind = z.enum(['cluster', 'server', 'taskserv']);
const verb = z.enum(['ensure', 'delete', 'start', 'stop', 'restart']);
const onFailure = z.enum(['rollback', 'keep', 'ask']);
const priority = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]);
const approve = z.array(z.enum(['before-change', 'before-destroy', 'per-batch-stage']));
const share = z.union([z.int().min(1), z.string().regex(SHARE)]);
const update = z.strictObject({
  strategy: z.enum(['rolling', 'all-at-once']).optional(),
  batch: share.optional(),
  maxUnavailable: share.optional(),
  pauseOnFailure: z.boolean().optional(),
});
const timing = z.strictObject({
  healthMs: ms.optional(),
  retryMs: ms.optional(),
  giveUpMs: ms.optional(),
  callMs: ms.optional(),
  heartbeatMs: ms.optional(),
});

const port = z.int().min(1).max(65_535);
const endpoint = z.strictObject({
  name: word,
  port,
  protocol: z.enum(['tcp', 'udp']).optional(),
  path: text.optional(),
  local: z.boolean().optional(),
  public: z.array(word).optional(),
  usedFrom: z.array(word).optional(),
});
const taskserv = z.strictObject({
  name: word,
  version: word,
  config: z.unknown(),
  endpoints: z.array(endpoint),
  after: z.array(word),
  update: update.optional(),
  drains: z.literal(true).optional(),
  uses: z.array(word).optional(),
  requiredBy: word.optional(),
});
const sshHost = z.strictObject({
  kind: z.literal('ssh'),
  address: z.string().regex(/^[A-Za-z0-9:][A-Za-z0-9.:-]*$/),
  port,
  user: z.string().regex(USER_NAME),
  identity: text.optional(),
  hostKey: text.optional(),
  jump: text.optional(),
  jumpHostKey: text.optional(),
  privateAddress: word.optional(),
});
const host = z.union([z.strictObject({ kind: z.literal('this') }), sshHost]);
const server = z.strictObject({
  name,
  group: name,
  role: name,
  provider: account,
  plan: z.strictObject({ name: word, cores: z.number().min(0), memoryMiB: z.number().min(0), diskGiB: z.number().min(0) }),
  image: text,
  zone: word.optional(),
  labels: z.record(z.string(), text),
  volumes: z.array(z.strictObject({ name, sizeGiB: z.int().min(1), mount: z.string().regex(/^\//) })),
  network: name,
  networkRange: word.optional(),
  existingNetwork: word.optional(),
  firewall: z
    .array(z.strictObject({ protocol: z.enum(['tcp', 'udp', 'icmp']), ports: word.optional(), from: z.array(word) }))
    .optional(),
  placement: name.optional(),
  address: z.literal('reserved').optional(),
  host: host.optional(),
  protect: z.boolean(),
  update: update.optional(),
  taskservs: z.array(taskserv),
});
const definition = z.strictObject({
  workspace: name,
  infra: name,
  onFailure,
  protect: z.boolean(),
  approve: approve.optional(),
  servers: z.array(server),
}) satisfies z.ZodType<Definition>;

const operation = z.strictObject({
  id,
  kind,
  workspace: name,
  infra: name,
  intent: z.strictObject({
    verb: z.enum([...verb.options, 'rollback']),
    prune: z.boolean().optional(),
    servers: z.array(name).optional(),
    taskservs: z.array(word).optional(),
    of: id.optional(),
  }),
  definition: definition.optional(),
  check: z.boolean().optional(),
  onFailure: onFailure.optional(),
  allowDestroy: z.union([z.boolean(), z.array(text)]).optional(),
  approve: approve.optional(),
  priority: priority.optional(),
  batch: z
    .strictObject({
      id,
      index: count,
      // As the entity and the provider said it, by way of the worker.
      grant: z.custom<Grant>().optional(),
      seen: z.custom<EarlyLook>().optional(),
      lingerMs: ms.optional(),
    })
    .optional(),
  update: update.optional(),
  actor,
  timing: timing.optional(),
}) satisfies z.ZodType<OperationRequest>;

const indices = z.array(z.union([count, z.tuple([count, count])])) satisfies z.ZodType<Indices>;
const batchOperations = z.array(
  z.strictObject({
    name: word,
    kind,
    verb,
    infra: name,
    servers: z.array(name).optional(),
    taskservs: z.array(word).optional(),
    definition: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    prune: z.boolean().optional(),
    allowDestroy: z.boolean().optional(),
    needs: indices.optional(),
    after: indices.optional(),
    stage: count,
    priority: priority.optional(),
    accounts: z.array(account),
  }) satisfies z.ZodType<BatchOperation>,
);

const limit = z.int().min(1).max(MOST_PARALLEL);
const batch = z.strictObject({
  id,
  name: word,
  workspace: name,
  actor,
  parallel: limit,
  accounts: z.record(z.string(), limit),
  priority,
  onFailure: z.enum(['rollback', 'rollback-branch', 'keep', 'ask']),
  approve: approve.optional(),
  timing: timing.optional(),
  of: id.optional(),
  submitted: word.optional(),
  operations: count,
  pageSize: z.int().min(1),
  pages: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  stages: z.array(count),
  continueAfter: z.int().min(1).optional(),
}) satisfies z.ZodType<BatchRequest>;

const infra = z.strictObject({
  workspace: name,
  infra: name,
  state: z.unknown().optional(),
  continueAfter: z.int().min(1).optional(),
});
const refresh = z.strictObject({
  workspace: name,
  infra: name,
  actor,
  record: z.boolean().optional(),
}) satisfies z.ZodType<RefreshRequest>;
const importServer = z.strictObject({
  workspace: name,
  infra: name,
  actor,
  provider: account,
  server: word,
  name,
  check: z.boolean().optional(),
}) satisfies z.ZodType<ImportRequest>;
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
}) satisfies z.ZodType<OrphansRequest>;
const ask = z.strictObject({
  provider: account,
  topic: z.enum(['plans', 'images', 'zones', 'check']),
}) satisfies z.ZodType<ProviderQuestion>;

type Missing<T, S extends z.ZodType> = Exclude<keyof T, keyof z.output<S>>;
/** Fields of our types that no schema has: what brings one would be refused. There are none. */
type Forgotten =
  | Missing<OperationRequest, typeof operation>
  | Missing<OperationRequest['intent'], typeof operation.shape.intent>
  | Missing<Timing, typeof timing>
  | Missing<UpdateSettings, typeof update>
  | Missing<Definition, typeof definition>
  | Missing<ServerSpec, typeof server>
  | Missing<Extract<ExistingHost, { kind: 'ssh' }>, typeof sshHost>
  | Missing<TaskservSpec, typeof taskserv>
  | Missing<Endpoint, typeof endpoint>
  | Missing<BatchRequest, typeof batch>
  | Missing<BatchOperation, typeof batchOperations.element>
  | Missing<ImportRequest, typeof importServer>
  | Missing<RefreshRequest, typeof refresh>
  | Missing<OrphansRequest, typeof orphans>;

/** By what they are about: workflows by their type, the kinds of operations as one. */
export const requests = {
  ...{ operation, definition, batch, batchOperations, infra, refresh, importServer, orphans, ask },
} satisfies [Forgotten] extends [never] ? Record<string, z.ZodType> : { forgotten: Forgotten };
