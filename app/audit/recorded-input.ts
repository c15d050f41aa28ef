import { createHash, randomBytes } from 'node:crypto';
import type * as z from 'zod';
import { canonical } from '../../core/encoding/hash.js';
import type { AuditEntry } from '../../stores/rows/audit-records.js';
import type { AnyMethod } from '../method.js';

type InputRecord = NonNullable<AuditEntry['input']>;
type Schema = z.core.$ZodType;

/** Maximum number of recorded fields, and maximum length of one in characters. */
const MOST_FIELDS = 40;
const MOST_LENGTH = 250;
/** Wrappers of schemas, whose content is in `innerType`. */
const WRAPPERS: ReadonlySet<string> = new Set(['optional', 'nullable', 'default', 'readonly', 'nonoptional', 'prefault', 'catch']);
/** Names of fields with a secret or a content, whatever their schema. */
const PRIVATE = /secret|password|passphrase|token|code|value|key|env|content|text|login|signature|cursor|data/i;

const fieldsOfMethod = new WeakMap<AnyMethod, ReadonlySet<string>>();

/**
 * Returns the top-level fields of an input that are recorded in plain text. These are numbers, booleans, and texts
 * that their schema limits to a format, such as names and ids. Free texts are excluded, as are fields that are named
 * like secrets.
 */
export function plainFields(method: AnyMethod): ReadonlySet<string> {
  const known = fieldsOfMethod.get(method);
  if (known) return known;
  const fields = new Set<string>();
  collect(method.input, fields);
  fieldsOfMethod.set(method, fields);
  return fields;
}

function collect(schema: Schema, fields: Set<string>): void {
  const { def } = insideOf(schema)._zod as unknown as { def: { type: string; shape?: Record<string, Schema>; options?: Schema[] } };
  if (def.type === 'union') for (const option of def.options ?? []) collect(option, fields);
  if (def.type !== 'object') return;
  for (const [name, field] of Object.entries(def.shape ?? {})) if (!PRIVATE.test(name) && isPlain(field)) fields.add(name);
}

function insideOf(schema: Schema): Schema {
  const { def } = schema._zod as unknown as { def: { type: string; innerType?: Schema } };
  return WRAPPERS.has(def.type) && def.innerType ? insideOf(def.innerType) : schema;
}

function isPlain(field: Schema): boolean {
  const schema = insideOf(field);
  const { def } = schema._zod as unknown as {
    def: { type: string; format?: string; checks?: { _zod: { def: { check: string } } }[] };
  };
  if (def.type === 'union') return (def as unknown as { options: Schema[] }).options.every(isPlain);
  if (def.type === 'string')
    return def.format !== undefined || (def.checks ?? []).some(({ _zod }) => _zod.def.check === 'string_format');
  return def.type === 'boolean' || def.type === 'number' || def.type === 'enum' || def.type === 'literal';
}

/**
 * Returns the recorded form of an input: its plain fields, and a hash of all others. The hash has a random salt, which
 * stays in the database. Readers of an exported record cannot guess a value by trying.
 *
 * @param input the input of the call, which may have any form if the method refused it
 */
export function recordInput(method: AnyMethod, input: unknown): { input?: InputRecord; salt?: string } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {};
  const plain = plainFields(method);
  const fields: InputRecord['fields'] = {};
  const rest: Record<string, unknown> = {};
  let count = 0;
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (plain.has(name) && isScalar(value) && count < MOST_FIELDS) {
      fields[name] = value;
      count++;
    } else rest[name] = value;
  }
  if (Object.keys(rest).length === 0) return { input: { fields } };
  const salt = randomBytes(16).toString('base64url');
  return { input: { fields, rest: createHash('sha256').update(salt).update(canonical(rest)).digest('base64url') }, salt };
}

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && value.length <= MOST_LENGTH);
