import { inputError } from '../../core/errors.js';
import { isFlatObject, type JsonSchema } from '../routes/derive-place.js';
import { refuseIdentity } from '../routes/identity.js';
import { PATH_TEXT, QUERY_TEXT, type Route } from '../routes/route.js';

/** Characters of a query. Cursors of workspaces with many infras are the longest parameters. */
const MOST_QUERY = 100_000;

interface Given {
  /** Parameters of the path, decoded. */
  parameters: Readonly<Record<string, string>>;
  /** The query, as it was sent, without its `?`. */
  query: string;
  /** The body of a POST or a PUT. */
  body?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Combines the input of a method from path, query and body. It checks only HTTP aspects: unknown and repeated
 * parameters, texts that must not be in a URL, misplaced fields, and fields that carry identity. The method's schema
 * checks the rest.
 *
 * @throws inputError `bad-request`
 */
export function readInput(route: Route, { parameters, query, body = {} }: Given): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(parameters)) input[key] = checkText(route, key, value, PATH);
  for (const [key, value] of readQuery(route, query)) input[key] = value;
  for (const [key, value] of Object.entries(body)) {
    if (route.inPath.includes(key)) throw refuse(route, `the body has "${shown(key)}", which the path names`);
    input[key] = value;
  }
  refuseIdentity(input, route.method.name);
  return input;
}

/** The parameters of a query by the keys of the input, with their types. `filter[kind]=x` is a field of an object. */
function readQuery(route: Route, query: string): Map<string, unknown> {
  const read = new Map<string, unknown>();
  if (query === '') return read;
  if (query.length > MOST_QUERY) throw refuse(route, `the query is longer than ${MOST_QUERY} characters`);
  const seen = new Set<string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [name = '', value = ''] = splitOnce(pair).map((text) => decodeText(route, text));
    if (seen.has(name)) throw refuse(route, `the parameter "${shown(name)}" is repeated`);
    seen.add(name);
    const [, key = name, field] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    const schema = route.inQuery.includes(key) ? route.fields.properties[key] : undefined;
    if (field === undefined) {
      if (!schema || isFlatObject(schema)) throw unknownParameter(route, name);
      read.set(key, valueIn(route, key, value, schema));
      continue;
    }
    const fields = schema && isFlatObject(schema) ? (schema.properties as Record<string, JsonSchema>) : {};
    if (!Object.hasOwn(fields, field)) throw unknownParameter(route, name);
    const object = (read.get(key) ?? {}) as Record<string, unknown>;
    read.set(key, { ...object, [field]: valueIn(route, name, value, fields[field] as JsonSchema) });
  }
  return read;
}

const splitOnce = (pair: string): [string, string] => {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
};

function decodeText(route: Route, text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw refuse(route, 'a parameter is not percent-encoded UTF-8');
  }
}

/** Converts a parameter to the type in its schema. A text that does not fit stays a text, which the schema refuses. */
function valueIn(route: Route, key: string, text: string, schema: JsonSchema): unknown {
  switch (schema.type) {
    case 'array':
      return text === '' ? [] : text.split(',').map((one) => valueIn(route, key, one, schema.items as JsonSchema));
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'integer':
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
    default:
      return checkText(route, key, text, QUERY);
  }
}

const PATH = new RegExp(PATH_TEXT);
const QUERY = new RegExp(QUERY_TEXT);

function checkText(route: Route, key: string, text: string, form: RegExp): string {
  if (form.test(text)) return text;
  const why = form === PATH ? 'it may have letters, digits, and ._:@+-/ between them' : 'it has control characters';
  throw refuse(route, `${shown(key)}: ${why}`);
}

const unknownParameter = (route: Route, name: string) => {
  const known = route.inQuery.flatMap((key) => {
    const schema = route.fields.properties[key] as JsonSchema;
    return isFlatObject(schema) ? Object.keys(schema.properties as object).map((field) => `${key}[${field}]`) : [key];
  });
  const hint = known.length > 0 ? `known parameters: ${known.join(', ')}` : 'the call takes no parameters in the query';
  return refuse(route, `the parameter "${shown(name)}" is unknown`, hint);
};

/** A name of a stranger in an error text: short, and without control characters. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 40)).slice(1, -1);

const refuse = (route: Route, why: string, hint?: string) =>
  inputError({ code: 'bad-request', what: 'read the request', on: route.method.name, why, ...(hint && { hint }) });
