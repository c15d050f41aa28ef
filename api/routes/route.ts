import type { AnyMethod, RestPlace } from '../../app/method.js';
import { derivePlace, type InputFields, type JsonSchema, keysInPath } from './derive-place.js';
import { dropIdentity } from './identity.js';
import { answersNothing, convertSchema, type SchemaParts } from './json-schema.js';

/** A method at its place in the REST API. */
export interface Route {
  method: AnyMethod;
  verb: RestPlace['verb'];
  /** Below `/v1`: `/workspaces/{workspace}/infras`. */
  path: string;
  /** The parts of the path; one in braces is a parameter. */
  segments: readonly string[];
  /** Keys of the input in the path, in the query, and in the body. An input that is no plain object is a body. */
  inPath: readonly string[];
  inQuery: readonly string[];
  /** `all`: whatever the body has. */
  inBody: readonly string[] | 'all';
  fields: InputFields;
  input: SchemaParts;
  /** Whether an answer has no body. */
  isEmpty: boolean;
  /** Whether it waits for an end, up to the caller's time limit. */
  waits: boolean;
}

/** Pattern of a path parameter: names, ids, and `hetzner/prod`. No part begins with a dot. */
export const PATH_TEXT = '^[A-Za-z0-9_][A-Za-z0-9._:@+-]*(?:/[A-Za-z0-9_][A-Za-z0-9._:@+-]*)*$';
/** Texts that a parameter of a query may be: no control characters. */
export const QUERY_TEXT = '^[^\\u0000-\\u001f\\u007f]*$';

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT']);

/** Returns the place of a method: the declared one, or the one that follows from its name, action and input. */
export function placeMethod(method: AnyMethod): Route {
  const converted = convertSchema(method.input, method.name, 'input');
  const schema = dropIdentity(converted.schema);
  const fields = readFields(schema);
  const { verb, path } = method.rest ?? derivePlace(method, fields);
  const inPath = keysInPath(path);
  const rest = Object.keys(fields.properties).filter((key) => !inPath.includes(key));
  const hasBody = WITH_BODY.has(verb);
  return {
    ...{ method, verb, path, inPath, fields },
    segments: path.slice(1).split('/'),
    inQuery: hasBody ? [] : rest,
    inBody: hasBody ? (schema.type === 'object' ? rest : 'all') : [],
    input: { ...converted, schema },
    isEmpty: answersNothing(method),
    waits: method.kind === 'call' && method.name.endsWith('.result'),
  };
}

/** All methods at their places, in the order of the table. */
export const placeMethods = (methods: Readonly<Record<string, AnyMethod>>): Route[] => Object.values(methods).map(placeMethod);

function readFields({ properties = {}, required = [] }: JsonSchema): InputFields {
  return { properties: properties as InputFields['properties'], required: required as string[] };
}
