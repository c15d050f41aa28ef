import { type AnyMethod, actionsOf, COMMON_ERRORS } from '../../app/method.js';
import { kindOf } from '../../core/error-kinds.js';
import { groupByKey } from '../../core/grouped.js';
import { statusOfError } from '../response/problem.js';
import { PREFIX } from '../rest.js';
import { isFlatObject, type JsonSchema } from '../routes/derive-place.js';
import { convertSchema, type SchemaParts } from '../routes/json-schema.js';
import { PATH_TEXT, QUERY_TEXT, type Route } from '../routes/route.js';
import { CONNECTION_PATH, describeConnectionPath } from './connection-path.js';

/** Codes of the door, which each request may get. */
const DOOR_CODES = [
  'bad-request',
  'bad-token',
  'cross-site',
  'host-not-served',
  'rate-limited',
  'unexpected',
  'unknown-call',
  'verb-not-allowed',
];
/** Error codes of a request with a body. */
const BODY_CODES = ['content-type', 'too-large'];

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'A problem of RFC 9457',
  required: ['type', 'title', 'status', 'detail', 'kind', 'code', 'blame', 'what', 'why', 'request'],
  properties: {
    type: { type: 'string', description: 'urn:provisioning:error: with the code behind it' },
    title: { type: 'string', description: 'The kind of the error in words' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'The failed action, its object and the reason, in one line' },
    code: { type: 'string', description: 'Stable error code, explained in docs/operate/troubleshooting.md' },
    kind: { type: 'string' },
    blame: { type: 'string', enum: ['user', 'weather', 'bug'] },
    what: { type: 'string' },
    on: { type: 'string' },
    why: { type: 'string' },
    hint: { type: 'string', description: 'A remedy' },
    absent: { type: 'boolean', description: 'The thing is not there, or the caller may not know of it' },
    final: { type: 'boolean', description: 'Asking again changes nothing' },
    outOfPatience: { type: 'boolean', description: 'It was tried as long as the operation is patient' },
    retryAfterMs: { type: 'number' },
    request: { type: 'string', description: 'The id of the request' },
  },
};

const STREAM_FORM =
  'Server-sent events. `data` of each is an event as the schema `x-event` has it, `id` its cursor: after a cut, send it as `Last-Event-ID`. The last one is named `end`, or `problem` with a problem of RFC 9457.';

/** The document of OpenAPI 3.1 of the methods at their places. */
export function describeApi(routes: readonly Route[], version: string): JsonSchema {
  const schemas: Record<string, JsonSchema> = { Problem: PROBLEM };
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const keep = ({ schema, components }: SchemaParts): JsonSchema => {
    Object.assign(schemas, components);
    return schema;
  };
  for (const route of routes) {
    const path = `${PREFIX}${route.path}`;
    paths[path] = { ...paths[path], [route.verb.toLowerCase()]: describeOperation(route, keep) };
  }
  paths[CONNECTION_PATH] = describeConnectionPath((codes) => describeCodes([...codes, ...DOOR_CODES])) as Record<
    string,
    JsonSchema
  >;
  const groups = [...new Set(routes.map(({ method }) => groupOfMethod(method)))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Provisioning',
      version,
      description:
        'The methods of the platform. Each is described in docs/reference/methods.md, and its permission is `x-permission`. docs/operate/api-server.md describes tokens, streams and limits.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: groups.map((name) => ({ name, description: `Methods of ${name}` })),
    paths,
    components: { schemas, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
}

const groupOfMethod = ({ name }: AnyMethod): string => name.split('.')[0] as string;

function describeOperation(route: Route, keep: (converted: SchemaParts) => JsonSchema): JsonSchema {
  const { method } = route;
  const input = keep(route.input);
  const output = route.isEmpty ? undefined : keep(convertSchema(method.output, method.name, 'output'));
  const body = describeBody(route, input);
  return {
    operationId: method.name,
    summary: method.summary,
    tags: [groupOfMethod(method)],
    'x-permission': [...actionsOf(method)],
    parameters: [...route.inPath.map((key) => pathParameter(route, key)), ...queryParameters(route), ...headerParameters(route)],
    ...(body && { requestBody: body }),
    responses: { ...describeSuccess(route, output), ...describeProblems(route, body !== undefined) },
  };
}

function describeBody({ inBody, fields }: Route, input: JsonSchema): JsonSchema | undefined {
  if (inBody === 'all') return { required: true, content: { 'application/json': { schema: input } } };
  if (inBody.length === 0) return undefined;
  const required = fields.required.filter((key) => inBody.includes(key));
  const properties = Object.fromEntries(inBody.map((key) => [key, fields.properties[key]]));
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

const withPattern = (schema: JsonSchema, pattern: string): JsonSchema =>
  schema.type === 'string' && !('pattern' in schema) && !('enum' in schema) && !('const' in schema)
    ? { ...schema, pattern }
    : schema;

const pathParameter = ({ fields }: Route, key: string): JsonSchema => ({
  name: key,
  in: 'path',
  required: true,
  schema: withPattern(fields.properties[key] as JsonSchema, PATH_TEXT),
});

/**
 * Returns the parameters of a query. Client generators support few formats of objects and lists, so each parameter has
 * a format that all support.
 */
const queryParameters = ({ fields, inQuery }: Route): JsonSchema[] =>
  inQuery.flatMap((key) => {
    const schema = fields.properties[key] as JsonSchema;
    const isRequired = fields.required.includes(key);
    if (!isFlatObject(schema)) return [queryParameter(key, schema, isRequired)];
    const needed = isRequired && Array.isArray(schema.required) ? schema.required : [];
    return Object.entries(schema.properties as Record<string, JsonSchema>).map(([field, inside]) =>
      queryParameter(`${key}[${field}]`, inside, needed.includes(field)),
    );
  });

const queryParameter = (name: string, schema: JsonSchema, required: boolean): JsonSchema => ({
  ...{ name, in: 'query', required },
  ...(typeof schema.description === 'string' && { description: schema.description }),
  schema: withPattern(schema.type === 'array' ? describeList(schema) : schema, QUERY_TEXT),
});

/** A list in a query: a text with commas between its values. */
function describeList({ items }: JsonSchema): JsonSchema {
  const { enum: values } = items as JsonSchema;
  const description = 'Values with commas between them';
  if (!Array.isArray(values)) return { type: 'string', description };
  const one = `(?:${values.join('|')})`;
  return { type: 'string', description: `${description}: ${values.join(', ')}`, pattern: `^(?:${one}(?:,${one})*)?$` };
}

function headerParameters({ method, waits, fields }: Route): JsonSchema[] {
  const prefer = 'How long to wait for the end: `wait=30`, in seconds, at most 55';
  const last = 'The id of the last event that the caller has';
  const match =
    'The ETag of an answer about the same resource: the change is made only if the resource is unchanged since; `*`: if the resource exists';
  return [
    ...(method.edits ? [{ name: 'If-Match', in: 'header', description: match, schema: { type: 'string' } }] : []),
    ...(waits ? [{ name: 'Prefer', in: 'header', description: prefer, schema: { type: 'string' } }] : []),
    ...(method.kind === 'stream' && 'after' in fields.properties
      ? [{ name: 'Last-Event-ID', in: 'header', description: last, schema: { type: 'string' } }]
      : []),
  ];
}

function describeSuccess({ method, isEmpty, waits }: Route, output: JsonSchema | undefined): JsonSchema {
  if (isEmpty || output === undefined) return { 204: { description: 'Done' } };
  if (method.kind === 'stream')
    return {
      200: { description: STREAM_FORM, content: { 'text/event-stream': { schema: { type: 'string' } } }, 'x-event': output },
    };
  const late: JsonSchema = {
    description: 'It has not ended in this time',
    content: {
      'application/json': { schema: { type: 'object', properties: { ended: { const: false } }, required: ['ended'] } },
    },
  };
  return { 200: { description: 'The answer', content: { 'application/json': { schema: output } } }, ...(waits && { 202: late }) };
}

/** Describes the statuses of a method's codes, and of the codes that each request may get. */
const describeProblems = ({ method }: Route, hasBody: boolean): JsonSchema =>
  describeCodes([...method.errors, ...COMMON_ERRORS, ...DOOR_CODES, ...(hasBody ? BODY_CODES : [])]);

function describeCodes(named: readonly string[]): JsonSchema {
  const codes = [...new Set(named)].sort();
  const byStatus = groupByKey(codes, (code) => statusOfError({ code, blame: 'user' }));
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  const listed = [...byStatus].map(([status, those]) => {
    const names = those.map((code) => `\`${code}\` (${kindOf({ code, blame: 'user' })})`).join(', ');
    return [status, { description: names, content }] as const;
  });
  return { ...Object.fromEntries(listed), default: { description: 'Another error of the platform', content } };
}
