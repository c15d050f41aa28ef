import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { requestSchemasSource } from '../../scripts/generate/request-schemas.js';
import { demoDefinition } from '../../test/support/definition.js';
import { requests } from '../schema/requests.js';
import { checkRequest } from './check-request.js';
import type { OperationRequest } from './operation.js';

const request: OperationRequest = {
  id: 'cluster-ensure-shop-1',
  kind: 'cluster',
  workspace: 'default',
  infra: 'shop',
  intent: { verb: 'ensure', prune: true, servers: ['web-1'] },
  definition: demoDefinition('shop', { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx', 'redis', 'postgres', 'users'] }),
  actor: 'ada@desk',
  allowDestroy: ['web-1'],
  update: { batch: '25%', maxUnavailable: 1 },
  priority: 3,
  timing: { retryMs: 20 },
  batch: { id: 'batch-1', index: 0, lingerMs: 5, grant: { grant: 1, inventory: { any: 'thing' } } as never },
};
const whyOf = (value: unknown, strict = true) => {
  try {
    checkRequest('operation', value, { strict });
    return undefined;
  } catch (error) {
    return (error as { details: { why: string } }).details.why;
  }
};
/** A copy with another value at a path. */
function withAt(path: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(request));
  const keys = path.split('.');
  const last = keys.pop() as string;
  const place = keys.reduce((at, key) => at[key], copy);
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

test('the schemas that workflows go by are those of core/schema/requests.ts', () => {
  const kept = readFileSync(new URL('request-schemas.ts', import.meta.url), 'utf8');
  expect(kept === requestSchemasSource()).toBe(true);
});

test('takes what is a request, and fields of another version where it is told so', () => {
  expect(whyOf(request)).toBeUndefined();
  expect(whyOf(JSON.parse(JSON.stringify(request)))).toBeUndefined();
  const newer = withAt('intent.speed', 9);
  expect([whyOf(newer), whyOf(newer, false)]).toEqual(['intent.speed: is not a field of it', undefined]);
});

const BAD: [path: string, value: unknown, why: string][] = [
  ['id', undefined, 'id: is missing'],
  ['id', '-x', 'id: must match'],
  // An id that cannot be the name of a file or of a record.
  ['id', 'cluster/1', 'id: must match'],
  ['id', 'x'.repeat(201), 'id: must match'],
  ['kind', 'infra', 'kind: must be one of cluster, server, taskserv'],
  ['workspace', 'A', 'workspace: must match'],
  ['infra', `a${'b'.repeat(90)}`, 'infra: must match'],
  ['intent', [], 'intent: must be an object'],
  ['intent.servers', 'web-1', 'intent.servers: must be a list'],
  ['intent.servers.0', '../x', 'intent.servers.0: must match'],
  ['intent.prune', 1, 'intent.prune: must be true or false'],
  ['actor', '', 'actor: must not be empty'],
  ['priority', 6, 'priority: must be'],
  ['allowDestroy', 'yes', 'allowDestroy: must be'],
  ['timing.retryMs', -1, 'timing.retryMs: must be at least 0'],
  ['batch.index', 1.5, 'batch.index: must be a whole number'],
  [
    'definition.servers.0.taskservs.0.endpoints.0.port',
    70_000,
    'definition.servers.0.taskservs.0.endpoints.0.port: must be at most 65535',
  ],
  [
    'definition.servers.1.host',
    { kind: 'ssh', address: '-oProxyCommand=x', port: 22, user: 'root' },
    'definition.servers.1.host.address: must match',
  ],
  [
    'definition.servers.1.host',
    { kind: 'ssh', address: 'h', port: 22, user: '-oProxyCommand=x' },
    'definition.servers.1.host.user: must match',
  ],
];
test.each(BAD)('refuses %s as %j', (path, value, why) => {
  expect(whyOf(withAt(path, value), false)).toMatch(new RegExp(`^${why.replaceAll('.', '\\.')}`));
  expect((requests.operation as z.ZodType).safeParse(withAt(path, value)).success).toBe(false);
});

test('no field is named __proto__', () => {
  const text = JSON.stringify(request).replace('"intent":{', '"intent":{"__proto__":{"verb":"delete"},');
  expect(whyOf(JSON.parse(text), false)).toBe('intent.__proto__: is not a field of it');
});
