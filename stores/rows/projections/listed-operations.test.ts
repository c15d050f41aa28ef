import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbeddedRows } from '../embedded-rows.js';
import { ROW_MIGRATIONS } from '../migrations.js';
import type { RowDatabase } from '../row-database.js';
import { rowsIn } from '../rows-in.js';
import { listedOperations } from './listed-operations.js';

let folder: string;
let database: RowDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'listed-'));
  database = await openEmbeddedRows(join(folder, 'rows', 'rows.db'), ROW_MIGRATIONS);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

/** Returns the query plans of the database instead of the answers. */
async function planOf(work: (table: ReturnType<typeof tableIn>) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const explaining: RowDatabase = {
    ...database,
    async run(what, query) {
      const plan = await database.run<{ detail: string }>(
        what,
        CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]),
      );
      plans.push(plan.map(({ detail }) => detail).join('; '));
      return [];
    },
  };
  await work(tableIn(explaining));
  return plans.join('\n');
}

const tableIn = (where: RowDatabase) =>
  rowsIn(where, [listedOperations], () => Promise.reject(new Error('nothing is sealed'))).table(listedOperations);

const below = '2026-11-30T00:00:00.000Z';
/** The conditions that lists of operations have, with the columns of the index that each is read by. */
const CONDITIONS: [Record<string, string>, string][] = [
  [{}, 'preview'],
  [{ kind: 'cluster' }, 'preview_kind'],
  [{ actor: 'ann' }, 'preview_actor'],
  [{ infra: 'shop' }, 'preview_infra'],
  [{ tenant: '' }, 'preview_tenant'],
  [{ tenant: '', kind: 'cluster' }, 'preview_tenant_kind'],
  [{ tenant: '', actor: 'ann' }, 'preview_tenant_actor'],
  [{ tenant: '', infra: 'shop' }, 'preview_infra'],
  [{ workspace: 'default' }, 'preview_workspace'],
  [{ workspace: 'default', infra: 'shop' }, 'preview_workspace_infra'],
  [{ workspace: 'default', kind: 'cluster' }, 'preview_workspace_kind'],
  [{ workspace: 'default', actor: 'ann' }, 'preview_workspace_actor'],
  [{ workspace: 'default', infra: 'shop', kind: 'cluster', actor: 'ann' }, 'preview_workspace_infra'],
  [{ workspace: 'default', kind: 'cluster', actor: 'ann' }, 'preview_workspace_actor'],
];

test.each(CONDITIONS)('a page and the number of operations with %j are read by one index, in its order', async (more, columns) => {
  const where = { preview: 'no', ...more };
  const after = ['2026-11-29T00:00:00.000Z', 'cluster-ensure-shop-1'];
  const index = `listed_operations_sorted_in_${columns}`;
  const equal = columns.split('_').map((column) => `${column}=?`);
  const first = await planOf((table) => table.listNewest({ where, below, limit: 50 }));
  const next = await planOf((table) => table.listNewest({ where, below, after, limit: 50 }));
  const count = await planOf((table) => table.countSorted({ where, below }));
  for (const plan of [first, next, count]) {
    expect(plan).toMatch(new RegExp(`^SEARCH listed_operations USING (COVERING )?INDEX ${index} \\(`));
    for (const column of [...equal, 'ended']) expect(plan).toContain(column);
    // Nothing is sorted, and no other rows are read.
    expect(plan).not.toMatch(/;|SCAN|TEMP/);
  }
  // Rows of earlier pages are not read either.
  expect(next).toContain('(ended,operation)<(?,?)');
});
