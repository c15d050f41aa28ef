import { KIND } from '../../core/schema/fields.js';

/** One field of a configuration, as its schema says it. */
export interface FieldDescription {
  /** Path of the field: `timeouts.connect`, `users[].name` in each item of a list, `settings.*` for any key. */
  path: string;
  /** In words: `port`, `list of networks`, `one of reload, restart`. */
  type: string;
  description: string;
  /** Whether what it stands in cannot be without it. */
  required: boolean;
  /** Default in the notation of a file. Absent without a default. */
  default?: unknown;
  /** A reference to a secret: `{ secret: NAME }`, `{ generate: password }` or `{ sops: FILE, key: PATH }`. */
  secret?: true;
}

/** As much of JSON Schema as configurations come to. */
interface Schema {
  [KIND]?: unknown;
  /** Several where any of them will do. */
  type?: string | string[];
  format?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

/** Names for formats of texts. */
const FORMATS: Readonly<Record<string, string>> = {
  ipv4: 'IP address',
  ipv6: 'IP address',
  cidrv4: 'network',
  cidrv6: 'network',
  uri: 'URL',
};

/** The fields of a configuration in the order of its schema, each before those in it. */
export function describeFields(schema: object, prefix = ''): FieldDescription[] {
  const { properties = {}, required = [] } = schema as Schema;
  return Object.entries(properties).flatMap(([key, field]) => {
    const path = `${prefix}${key}`;
    const own: FieldDescription = {
      path,
      type: typeOf(field),
      description: field.description ?? '',
      required: required.includes(key),
      ...(hasDefault(field) ? { default: field.default } : {}),
      ...(isSecret(field) ? { secret: true as const } : {}),
    };
    return [own, ...fieldsIn(field, path)];
  });
}

/** Fields inside a list, a map with any keys, or the field itself. */
function fieldsIn(field: Schema, path: string): FieldDescription[] {
  if (isSecret(field)) return [];
  if (field.items) return fieldsIn(field.items, `${path}[]`);
  if (typeof field.additionalProperties === 'object') return fieldsIn(field.additionalProperties, `${path}.*`);
  return describeFields(field, `${path}.`);
}

const isSecret = (field: Schema): boolean => field[KIND] === 'secret';

/** `{}` for a map whose fields have defaults of their own says nothing. */
const hasDefault = (field: Schema): boolean =>
  field.default !== undefined && !(field.properties && JSON.stringify(field.default) === '{}');

function typeOf(field: Schema): string {
  if (typeof field[KIND] === 'string') return field[KIND];
  if (field.const !== undefined) return String(field.const);
  if (field.enum) return `one of ${field.enum.join(', ')}`;
  if (field.anyOf) return either([...new Set(field.anyOf.flatMap(formsOf))]);
  if (Array.isArray(field.type)) return either(field.type.map((type) => typeOf({ ...field, type })));
  switch (field.type) {
    case 'array':
      return field.items ? `list of ${pluralOf(typeOf(field.items))}` : 'list';
    case 'object':
      return typeof field.additionalProperties === 'object' ? `map of ${typeOf(field.additionalProperties)}` : 'map';
    case 'integer':
      return `whole number${rangeOf(field)}`;
    case 'number':
      return `number${rangeOf(field)}`;
    case 'boolean':
      return 'boolean';
    case 'string':
      return FORMATS[field.format ?? ''] ?? 'text';
    default:
      return 'any';
  }
}

const formsOf = (field: Schema): string[] => (field.enum ? field.enum.map(String) : [typeOf(field)]);

const either = (forms: readonly string[]): string =>
  [forms.slice(0, -1).join(', '), ...forms.slice(-1)].filter(Boolean).join(' or ');

/** Bounds that the schema's author set. zod adds the bounds of whole numbers in JavaScript. */
function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return '';
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? `, at least ${minimum}` : `, ${minimum} to ${maximum}`;
}

const pluralOf = (type: string): string =>
  /^[A-Za-z: ]+$/.test(type) && !/ or |^(?:one|list|map) of/.test(type) ? `${type}${/s$/.test(type) ? 'es' : 's'}` : type;
