import * as z from 'zod';
import type { METHODS } from '../client/socket/socket-protocol.js';
import { inputError } from '../core/errors.js';

const id = z.string().min(1).max(1_000);
const text = z.string().max(100_000);
const count = z.int().min(0);
const by = z.looseObject({ why: text.nullish() });
const verb = z.enum(['ensure', 'delete', 'rollback', 'start', 'stop', 'restart']);
const kind = z.enum(['cluster', 'server', 'taskserv']);
const scope = { workspace: id, infra: id };
const request = z.looseObject({ id, kind, ...scope, intent: z.looseObject({ verb }), check: z.boolean().nullish() });
const filter = z.looseObject({ limit: count.nullish() }).nullish();

/** What each call takes, in order: enough that no call reaches the platform with something else than it expects. */
const CALLS: Record<(typeof METHODS)[number], z.ZodType[]> = {
  submit: [request, z.looseObject({ queue: z.boolean().nullish() }).nullish()],
  follow: [id],
  result: [id],
  progress: [id],
  cancel: [id, z.unknown(), text.nullish()],
  force: [id, by],
  pause: [id, by],
  resume: [id, by],
  approve: [id, by.extend({ approved: z.boolean() })],
  decide: [
    id,
    z.enum(['retry', 'skip', 'rollback', 'keep']),
    z.unknown(),
    z.looseObject({ why: text.nullish(), definition: z.looseObject({}).nullish() }).nullish(),
  ],
  request: [id],
  list: [filter],
  infras: [id],
  inventory: [id, id],
  locks: [id, id],
  logs: [id, z.looseObject({ server: text.nullish(), taskserv: text.nullish() }).nullish()],
  publicKey: [id, id],
  pinHostKey: [id, id, id, text],
  forgetHostKey: [id, id, id],
  orphans: [z.looseObject({ workspace: id, remove: z.array(z.unknown()).nullish() })],
  askProvider: [z.looseObject({ provider: id, topic: id })],
  refresh: [z.looseObject(scope)],
  importServer: [z.looseObject({ ...scope, server: id, provider: id })],
  submitBatch: [z.looseObject({ id, workspace: id, operations: z.array(z.looseObject({})), definitions: z.looseObject({}) })],
  batch: [id],
  batchRows: [id, z.looseObject({ from: count.nullish(), limit: count.nullish(), marks: z.array(id).nullish() }).nullish()],
  batches: [filter],
  approveBatch: [id, by],
  decideBatch: [id, z.unknown(), by],
  cancelBatch: [id, by],
  rollbackBatch: [id, id, by],
  batchResult: [id],
};

export interface Call {
  method: (typeof METHODS)[number];
  args: unknown[];
}

/**
 * The call that a line asks for. Names that are not of the list, such as those that every
 * object has, are unknown.
 *
 * @throws inputError `unknown-call`, `bad-call`
 */
export function callIn(method: unknown, args: unknown): Call {
  if (typeof method !== 'string' || !Object.hasOwn(CALLS, method)) {
    const shown = String(method).slice(0, 40);
    const why = `there is no call "${shown}"`;
    throw inputError({ code: 'unknown-call', what: 'answer the call', why, hint: OTHER_VERSION });
  }
  const known = method as Call['method'];
  if (!Array.isArray(args)) throw badCall(known, 'its arguments are no list');
  const wanted = CALLS[known];
  if (args.length > wanted.length) throw badCall(known, `it takes ${wanted.length} arguments, and has ${args.length}`);
  for (const [index, schema] of wanted.entries()) {
    const { error } = schema.safeParse(args[index]);
    const [issue] = error?.issues ?? [];
    if (issue) throw badCall(known, `argument ${[index + 1, ...issue.path.map(String)].join('.')}: ${issue.message}`);
  }
  // JSON has no undefined: what was left out is null on the way, and defaults are for what is left out.
  return { method: known, args: args.map((arg) => arg ?? undefined) };
}

const OTHER_VERSION = 'the command and the worker may be of different versions: run `provisioning up`';

const badCall = (method: string, why: string) =>
  inputError({ code: 'bad-call', what: 'answer the call', on: method, why, hint: OTHER_VERSION });
