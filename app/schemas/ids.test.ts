import { expect, test } from 'vitest';
import { frozenPlace } from '../limits/freeze-schemas.js';
import { bundle } from './bundle.js';
import { batchId, environment, infra, operationId, server, workspace } from './ids.js';

const ids = { workspace, infra: infra.infra, operationId, batchId, server };

test.each(['..', '.', '../../etc', 'a/../b', '/etc', 'a\\b', '.hidden', '', 'a\u0000', 'a\nb', 'é', 'x'.repeat(201)])(
  '%j names no file of another folder, and is refused',
  (text) => {
    for (const [name, schema] of Object.entries(ids)) expect([name, schema.safeParse(text).success]).toEqual([name, false]);
  },
);

test.each(['default', 'shop-2', 'cluster-ensure-shop-mf3k2p9x4af1', 'web-1'])('%j may be asked for', (text) => {
  for (const schema of Object.values(ids)) expect(schema.safeParse(text).success).toBe(true);
});

test.each(['cluster:1@2+3', 'Former_id', 'x'.repeat(200)])('%j may be an id, and is no name', (id) => {
  for (const schema of [operationId, batchId]) expect(schema.safeParse(id).success).toBe(true);
  for (const schema of [workspace, infra.infra, server]) expect(schema.safeParse(id).success).toBe(false);
});

test.each([
  ['prod', true],
  ['prod-eu', true],
  ['Prod', false],
  ['prod_eu', false],
  ['x'.repeat(41), false],
])('an environment may be called %j: %s, in the files of a definition and in a freeze', (name, may) => {
  const address = 'a'.repeat(64);
  const place = { workspace: 'default', infra: 'shop', definition: address, main: 'shop.yaml' };
  const source = { ...place, environment: name, files: [{ path: 'shop.yaml', address, size: 1 }] };
  expect(environment.safeParse(name).success).toBe(may);
  expect(bundle.safeParse(source).success).toBe(may);
  expect(frozenPlace.environment.safeParse(name).success).toBe(may);
});
