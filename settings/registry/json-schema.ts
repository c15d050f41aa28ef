import { REPLACE } from '../../core/merge/merge.js';
import { SHARE } from '../../core/operation/rolling.js';
import type { FileLayer } from '../layers/layers.js';
import { REGISTRY } from './keys.js';
import type { Key } from './registry.js';
import type { ValueType } from './value-types.js';

type Schema = Record<string, unknown>;

/** Returns the JSON Schema for the settings in a layer's file. */
export function configSchema(layer: FileLayer): Schema {
  const tree: Tree = new Map();
  for (const key of REGISTRY.keys.values()) if (key.scope !== 'engine' || layer === 'user') put(tree, key.name.split('.'), key);
  const settings = schemaOfTree(tree);
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  // The other files have other content too.
  return layer === 'user' || layer === 'infra'
    ? { $schema, ...settings }
    : { $schema, type: 'object', properties: { config: settings } };
}

type Tree = Map<string, Key | Tree>;

function put(tree: Tree, [name = '', ...rest]: readonly string[], key: Key): void {
  if (rest.length === 0) return void tree.set(name, key);
  const within = tree.get(name) ?? new Map();
  tree.set(name, within);
  put(within as Tree, rest, key);
}

function schemaOfTree(tree: Tree): Schema {
  const schemaIn = (one: Key | Tree): Schema => (one instanceof Map ? orNothing(schemaOfTree(one)) : schemaOf(one));
  return mapOf(Object.fromEntries([...tree].map(([name, one]) => [name, schemaIn(one)])));
}

const mapOf = (properties: Schema): Schema => ({ type: 'object', properties, additionalProperties: false });

/** Extends a schema: a layer may remove or replace lower values. */
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
  if (type.kind === 'text') return { type: 'string', minLength: 1, ...(type.form && { pattern: type.form.pattern }) };
  if (type.kind === 'share')
    return {
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', pattern: SHARE.source },
      ],
    };
  if (type.kind === 'field') return type.schema as Schema;
  const rate = { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { type: 'null' }] };
  return { type: 'object', additionalProperties: rate };
}
