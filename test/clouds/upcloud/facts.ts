import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const cloudData = process.env.PROVISIONING_CLOUD_DATA ?? resolve(import.meta.dirname, '../../../../shared/clouds');

/** Reason why requests are not checked; undefined if they are. */
export const whyUnchecked = existsSync(`${cloudData}/upcloud-openapi-facts/operations.json`)
  ? undefined
  : `requests are not checked against UpCloud's own facts: ${cloudData} is absent`;

/**
 * Returns the part of a request that UpCloud's specification and recordings do not know; undefined if they know all of
 * it.
 */
export type Check = (method: string, path: string, body: unknown) => string | undefined;

/** Fields that only the vendor's pages document, not the specification or the recordings. */
const DOCUMENTED: Record<string, string[]> = {
  'GET /1.3/storage/template': [],
  'GET /1.3/storage/backup': [],
  'PUT /1.3/storage/{}': ['storage.size'],
  'PATCH /1.3/ip_address/{}': ['ip_address.release_policy'],
  'GET /1.3/server': [],
  'GET /1.3/account/details/{}': [],
  'POST /1.3/storage/{}/backup': ['storage.title'],
  'POST /1.3/server': ['server.metadata'],
  'POST /1.3/server/{}/relocate': ['zone'],
  'POST /1.3/server/{}/tag/{}': [],
  'POST /1.3/server/{}/untag/{}': [],
};

/** Fields of requests in the specification, by operation. */
const BODIES: Record<string, string | [type: string, under: string]> = {
  'PUT /1.3/server/{}/firewall_rule': ['FirewallRulesetServerFirewallRule', 'firewall_rules.firewall_rule'],
  'POST /1.3/server': 'CreateServer',
  'PUT /1.3/server/{}': 'Server',
  'POST /1.3/storage': 'CreateStorageRequest',
  'POST /1.3/network': 'CreateNetworkRequest',
  'PATCH /1.3/server-group/{}': 'ServerGroupModify',
  'POST /1.3/tag': 'Tag',
  'PUT /1.3/tag/{}': 'Tag',
};

interface Type {
  type?: string;
  alias?: string;
  fields?: Record<string, Type>;
}

/** Loads the facts. Without them, returns a check that accepts everything. */
export function loadFacts(): Check {
  if (whyUnchecked) return () => undefined;
  const json = (path: string) => JSON.parse(readFileSync(`${cloudData}/${path}`, 'utf8'));
  const types = json('upcloud-openapi-facts/schemas.json').types as Record<string, Type>;
  const known = new Map<string, Set<string>>();
  /** Operations that were recorded with a final slash. */
  const slashed = new Set<string>();
  const learn = (operation: string, paths: Iterable<string> = []) => {
    const fields = known.get(operation) ?? new Set();
    for (const path of paths) fields.add(path);
    known.set(operation, fields);
  };
  for (const { method, path } of json('upcloud-openapi-facts/operations.json').operations) learn(operationOf(method, path));
  for (const [operation, body] of Object.entries(BODIES)) {
    const [type, under] = typeof body === 'string' ? [body, ''] : body;
    learn(operation, fieldsOf(types[type] ?? {}, types, under));
  }
  for (const [operation, paths] of Object.entries(DOCUMENTED)) learn(operation, paths);
  for (const name of readdirSync(`${cloudData}/upcloud-cassettes`)) {
    if (!name.endsWith('.json') || name.startsWith('_')) continue;
    for (const { request } of json(`upcloud-cassettes/${name}`).interactions) {
      if (!request.path.startsWith('/')) continue;
      const operation = operationOf(request.method, request.path);
      learn(operation, pathsOf(request.body));
      if (/\/(\?|$)/.test(request.path)) slashed.add(operation);
    }
  }
  return (method, path, body) => {
    const operation = operationOf(method, path);
    const fields = known.get(operation);
    if (!fields) return `${operation} is neither specified nor recorded`;
    if (path.endsWith('/') && !slashed.has(operation)) return `${operation} is known without a slash at its end`;
    const strange = [...pathsOf(body)].find((field) => ![...fields].some((one) => one === field || one.startsWith(`${field}.`)));
    return strange && `${operation} knows no field ${strange}`;
  };
}

const ID = /^([0-9a-f]{8}-[0-9a-f-]{27}|\d+|\d+\.\d+\.\d+\.\d+|.*:.*|invalid|\{.*\})$/;

/** Returns method and path, with `{}` for ids, without query and final slash. */
const operationOf = (method: string, path: string): string =>
  `${method} ${path
    .replace(/\?.*$/, '')
    .replace(/(\/account\/details\/|\/(?:un)?tag\/).*/, '$1{}')
    .replace(/\/$/, '')
    .split('/')
    .map((part) => (ID.test(part) ? '{}' : part))
    .join('/')}`;

/** Yields the paths of all fields in a body. Items of a list have the path of their list. */
function* pathsOf(value: unknown, path = ''): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* pathsOf(item, path);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const full = path ? `${path}.${key}` : key;
      yield full;
      yield* pathsOf(item, full);
    }
  }
}

function* fieldsOf(type: Type, types: Record<string, Type>, path = '', depth = 0): Generator<string> {
  const named = types[(type.alias ?? type.type ?? '').replace(/^\[\]/, '')];
  const fields = type.fields ?? (depth < 20 && named ? Object.fromEntries([['', named]]) : {});
  for (const [key, field] of Object.entries(fields)) {
    const full = key === '' ? path : path ? `${path}.${key}` : key;
    if (key !== '') yield full;
    yield* fieldsOf(field, types, full, depth + 1);
  }
}
