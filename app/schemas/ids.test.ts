import { expect, test } from 'vitest';
import { batchId, infra, operationId, server, workspace } from './ids.js';

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
