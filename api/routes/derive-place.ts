import type { AnyMethod, RestPlace } from '../../app/method.js';
import { actionsOf } from '../../app/method.js';

/** Input of a method, as the HTTP server sees it: the keys of the object, with the JSON Schema of each. */
export interface InputFields {
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
}

export type JsonSchema = { [key: string]: unknown };

/** Keys that name the things of a group, if this is not the group's own name. */
const NAMED: Readonly<Record<string, string>> = { secrets: 'name', settings: 'key', schemas: 'of' };
/** Groups whose resources are places, at the beginning of a path. */
const PLACES = ['workspace', 'infra'] as const;
/** Verbs of methods that a path does not repeat: the verb of HTTP has their meaning. */
const READING = new Set(['get', 'list', 'show']);

/**
 * Derives the verb and the path of a method, below `/v1`. A method that only reads, and whose input fits into a query,
 * is a GET; all others are a POST. The path has the workspace and the infra, the group, the resource and the verb, as
 * far as the input requires them: `infras.locks` is `/workspaces/{workspace}/infras/{infra}/locks`.
 */
export function derivePlace(method: AnyMethod, fields: InputFields): RestPlace {
  const [group = '', verb = ''] = method.name.split('.');
  const thing = NAMED[group] ?? singularOf(group);
  const isNamed = (key: string) => fields.required.includes(key) && fields.properties[key]?.type === 'string';
  const segments: string[] = [];
  for (const place of PLACES) if (isNamed(place)) segments.push(`${place}s`, `{${place}}`);
  if (!segments.includes(kebab(group))) segments.push(kebab(group));
  if (!(PLACES as readonly string[]).includes(thing) && isNamed(thing)) segments.push(`{${thing}}`);
  if (!READING.has(verb)) segments.push(kebab(verb));
  const path = `/${segments.join('/')}`;
  const isRead = actionsOf(method).every((action) => action.endsWith(':read'));
  return { verb: isRead && fitsIntoQuery(fields, path) ? 'GET' : 'POST', path };
}

/** The keys in a path, in order. */
export const keysInPath = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key);

/** Returns whether all fields outside of the path can be parameters of a query. */
export function fitsIntoQuery({ properties }: InputFields, path: string): boolean {
  const inPath = keysInPath(path);
  return Object.entries(properties).every(([key, schema]) => inPath.includes(key) || isFlat(schema) || isFlatObject(schema));
}

const SCALARS = new Set(['boolean', 'integer', 'number', 'string']);

const isScalar = (schema: JsonSchema): boolean => typeof schema.type === 'string' && SCALARS.has(schema.type);

/** A scalar, or a list of scalars. */
const isFlat = (schema: JsonSchema): boolean =>
  isScalar(schema) || (schema.type === 'array' && isScalar((schema.items ?? {}) as JsonSchema));

/** Whether a schema is an object with known keys, whose values are scalars. */
export const isFlatObject = (schema: JsonSchema): boolean =>
  schema.type === 'object' &&
  schema.properties !== undefined &&
  schema.additionalProperties === false &&
  Object.values(schema.properties as Record<string, JsonSchema>).every(isFlat);

const singularOf = (group: string): string =>
  group
    .replace(/ies$/, 'y')
    .replace(/(batch)es$/, '$1')
    .replace(/s$/, '');

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
