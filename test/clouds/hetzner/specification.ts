import { existsSync, readFileSync } from 'node:fs';
import type { Request } from 'openapi-backend';
import { cloudData } from '../upcloud/facts.js';

const FILE = `${cloudData}/hetzner-openapi/hcloud.json`;

/** Reason why nothing is checked against the specification; undefined if it is checked. */
export const whyUnchecked = existsSync(FILE) ? undefined : `nothing is checked against Hetzner's specification: ${FILE} is absent`;

/** Paths that the provider and its stand-in know. */
export const USED =
  /^\/(actions|servers|networks|volumes|firewalls|primary_ips|placement_groups|ssh_keys|images|locations|server_types|pricing|zones)(\/|$)/;

export interface Specification {
  /** Returns the problems of a request. Empty if there are none. */
  request(request: Request): string[];
  answer(request: Request, status: number, body: unknown): string[];
}

let loaded: Promise<Specification> | undefined;

/**
 * Returns a validator from the vendor's specification. Without its file, everything is valid and reported as
 * unchecked.
 */
export function specification(): Promise<Specification> {
  loaded ??= whyUnchecked ? Promise.resolve({ request: () => [], answer: () => [] }) : load();
  return loaded;
}

async function load(): Promise<Specification> {
  const { OpenAPIBackend } = await import('openapi-backend');
  const document = JSON.parse(readFileSync(FILE, 'utf8'));
  document.paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => USED.test(path)));
  for (const item of Object.values<Record<string, Json>>(document.paths))
    for (const operation of Object.values(item)) {
      const content = (operation as { requestBody?: { content?: Record<string, { schema: Json }> } }).requestBody?.content;
      // Requests must not have fields that the vendor does not know.
      for (const one of Object.values(content ?? {})) one.schema = closed(inlined(one.schema, document));
    }
  const definition = withNull(document) as never;
  const api = new OpenAPIBackend({
    definition,
    quick: true,
    apiRoot: '/v1',
    ajvOpts: { strict: false, formats: { int32: true, int64: true, decimal: true, 'date-time': true, double: true } },
  });
  await api.init();
  const words = (errors: readonly { instancePath?: string; message?: string; params?: unknown }[] | null | undefined) =>
    (errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
  return {
    request(request) {
      const operation = api.matchOperation(request);
      if (!operation) return [`${request.method} ${request.path} is no operation of the specification`];
      return words(api.validateRequest(request, operation).errors);
    },
    answer(request, status, body) {
      const operation = api.matchOperation(request);
      if (!operation || status >= 400 || status === 204) return [];
      return words(api.validateResponse(body, operation, status).errors);
    },
  };
}

type Json = { [key: string]: unknown };
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces all references with their targets. */
function inlined(value: unknown, document: Json): Json {
  if (Array.isArray(value)) return value.map((item) => inlined(item, document)) as never;
  if (!isObject(value)) return value as never;
  if (typeof value.$ref === 'string') {
    const target = value.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => (at as Json)[key], document);
    return inlined(target, document);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inlined(item, document)]));
}

/** Forbids properties other than the named ones. */
function closed(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(closed) as never;
  if (!isObject(schema)) return schema as never;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, item]) => [key, key === 'example' ? item : closed(item)]));
  return isObject(inner.properties) && inner.type === 'object' && inner.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
}

/** JSON Schema ignores OpenAPI's `nullable` beside `allOf`. */
function withNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNull);
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNull(item)]));
  if (inner.nullable !== true || !Array.isArray(inner.allOf)) return inner;
  return { anyOf: [{ allOf: inner.allOf }, { enum: [null] }] };
}
