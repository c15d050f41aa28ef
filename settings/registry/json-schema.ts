import { REPLACE } from '../../core/merge/merge.js';
import type { FileLayer } from '../layers/layers.js';
import { REGISTRY } from './keys.js';
import type { Key } from './registry.js';
import type { ValueType } from './value-types.js';

type Schema = Record<string, unknown>;

/** The JSON Schema of the settings in a file of a layer. */
export function configSchema(layer: FileLayer): Schema {
  const groups: Record<string, Schema> = {};
  for (const key of REGISTRY.keys.values()) {
    const [group = '', name = ''] = key.name.split('.');
    if (key.scope === 'engine' && layer !== 'user') continue;
    groups[group] ??= {};
    groups[group][name] = schemaOf(key);
  }
  const properties = Object.fromEntries(Object.entries(groups).map(([group, keys]) => [group, orNothing(mapOf(keys))]));
  const settings = mapOf(properties);
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  // The other files have more than settings.
  return layer === 'user' || layer === 'infra'
    ? { $schema, ...settings }
    : { $schema, type: 'object', properties: { config: settings } };
}

const mapOf = (properties: Schema): Schema => ({ type: 'object', properties, additionalProperties: false });

/** A layer may take away what is said below, or replace it. */
function orNothing(schema: Schema, about: Schema = {}): Schema {
  const replacement = { type: 'object', properties: { [REPLACE]: schema }, required: [REPLACE], additionalProperties: false };
  return { ...about, anyOf: [schema, replacement, { type: 'null' }] };
}

function schemaOf({ type, description, unit, default: value, otherwise }: Key): Schema {
  const more = [unit ? `In ${unit}.` : '', otherwise ? `Without it: ${otherwise}.` : ''].filter(Boolean);
  return orNothing(typeSchema(type), {
    description: [description, ...more].join(' '),
    ...(value === undefined ? {} : { default: value }),
  });
}

function typeSchema(type: ValueType): Schema {
  if (type.kind === 'choice') return { enum: type.choices };
  if (type.kind === 'number') return { type: 'integer', minimum: type.min, maximum: type.max };
  if (type.kind === 'switch') return { type: 'boolean' };
  if (type.kind === 'text') return { type: 'string', minLength: 1 };
  const rate = { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { type: 'null' }] };
  return { type: 'object', additionalProperties: rate };
}
