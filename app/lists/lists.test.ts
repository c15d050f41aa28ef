import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, test } from 'vitest';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner } from '../principal.js';
import type { Page } from './page.js';

interface Row {
  id: string;
  asks?: boolean;
}

/** Emulates Temporal's lists of these workflows, whose tokens name the workflow before a page. */
function platformOf(rows: Row[]) {
  const queries: string[] = [];
  const listWorkflowExecutions = async (asked: { query: string; pageSize?: number; nextPageToken?: Uint8Array }) => {
    queries.push(asked.query);
    if (asked.query.includes('WorkflowId IN')) return { executions: [] };
    const meant = asked.query.includes('ProvisioningAttention') ? rows.filter(({ asks }) => asks) : rows;
    const token = Buffer.from(asked.nextPageToken ?? []).toString();
    const at = token === '' ? 0 : meant.findIndex(({ id }) => tokenOf(id) === token) + 1;
    if (token !== '' && at === 0) throw Object.assign(new Error('Invalid page token'), { code: 3, details: '', metadata: {} });
    const page = meant.slice(at, at + (asked.pageSize ?? 1_000));
    const next = at + page.length < meant.length ? Buffer.from(tokenOf(page.at(-1)?.id)) : undefined;
    return { executions: page.map(({ id }) => executionOf(id)), nextPageToken: next };
  };
  const temporal = {
    options: { namespace: 'n' },
    workflowService: { listWorkflowExecutions },
  };
  const engine = { temporal, stores: {} } as unknown as Engine;
  const { call } = createDispatcher({ engine, principal: createOwner('ann@desk'), checksAnswers: true });
  const page = async <Item>(method: string, input: object) => (await call(method, input)) as Page<Item>;
  return { page, queries };
}

/** As Temporal's SQL stores write it. */
const tokenOf = (id: string | undefined) => JSON.stringify({ CloseTime: '2026-01-01T00:00:00.123456789Z', RunID: id });

/** An infra is open as long as it exists. Operations have ended. */
const executionOf = (id: string) => ({
  execution: { workflowId: id, runId: 'r' },
  type: { name: 'cluster' },
  ...{
    status: 2,
    startTime: msToTs(1_000),
    ...(!id.startsWith('infra/') && { closeTime: msToTs(2_000) }),
    taskQueue: 'q',
    historyLength: msToTs(1_000).seconds,
  },
  searchAttributes: {},
});

/** All pages of a list. */
async function pagesOf<Item>(ask: (after: string | undefined) => Promise<Page<Item>>): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await ask(after);
    pages.push(items);
    if (next === undefined) return pages;
    after = next;
  }
}

const named = (...names: string[]): Row[] => names.map((name) => ({ id: `infra/w/${name}` }));
const operations = (count: number, asking: readonly number[] = []): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `op-${index}`, asks: asking.includes(index) }));
const idsOf = (pages: { operation: string }[][]) => pages.flat().map(({ operation }) => operation);

describe('a list of names', () => {
  test('is paged to its end, forwards and backwards, and filtered', async () => {
    const { page } = platformOf(named('c', 'a', 'e', 'b', 'd'));
    const pages = (more: object) =>
      pagesOf((after) => page<string>('infras.list', { workspace: 'w', limit: 2, ...more, ...(after && { after }) }));
    expect(await pages({})).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(await pages({ sort: 'descending' })).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(await pages({ limit: 5 })).toEqual([['a', 'b', 'c', 'd', 'e']]);
    expect(await pages({ filter: { name: 'd' } })).toEqual([['d']]);
  });

  test('neither repeats nor leaves out a name when others come and go between two pages', async () => {
    const rows = named('b', 'd', 'f', 'h');
    const { page } = platformOf(rows);
    const { next } = await page('infras.list', { workspace: 'w', limit: 2 });
    rows.splice(0, 2, ...named('a', 'c', 'e'));
    expect((await page('infras.list', { workspace: 'w', after: next })).items).toEqual(['e', 'f', 'h']);
  });
});

describe('a list of operations', () => {
  test('begins with those that wait for an answer, and has each once', async () => {
    const { page } = platformOf(operations(7, [2, 4, 6]));
    for (const limit of [1, 2, 3, 4, 100]) {
      const pages = await pagesOf((after) => page<{ operation: string }>('operations.list', { limit, ...(after && { after }) }));
      expect(idsOf(pages)).toEqual(['op-2', 'op-4', 'op-6', 'op-0', 'op-1', 'op-3', 'op-5']);
      for (const items of pages) expect(items.length).toBeLessThanOrEqual(limit);
    }
  });

  test('goes on where it was when newer ones have come', async () => {
    const rows = operations(5);
    const { page } = platformOf(rows);
    const first = await page<{ operation: string }>('operations.list', { limit: 2 });
    rows.unshift({ id: 'newer-1' }, { id: 'newer-2' });
    const rest = await pagesOf((after) => page<{ operation: string }>('operations.list', { limit: 2, after: after ?? first.next }));
    expect(idsOf([first.items, ...rest])).toEqual(['op-0', 'op-1', 'op-2', 'op-3', 'op-4']);
  });

  test('is one of a kind or of a person', async () => {
    const { page, queries } = platformOf([]);
    await page('operations.list', { filter: { kind: 'server', actor: "o'neil@desk" } });
    expect(queries.at(-1)).toContain("ProvisioningKind IN ('server')");
    expect(queries.at(-1)).toContain("ProvisioningActor = 'o''neil@desk'");
  });
});

test('a list of batches is paged', async () => {
  const { page } = platformOf(operations(5));
  const pages = await pagesOf((after) => page<{ batch: string }>('batches.list', { limit: 2, ...(after && { after }) }));
  expect(pages.map((items) => items.map(({ batch }) => batch))).toEqual([['op-0', 'op-1'], ['op-2', 'op-3'], ['op-4']]);
});

describe('a cursor', () => {
  const forged = (change: (parts: [string, Record<string, unknown>]) => unknown) => (cursor: string) =>
    Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(cursor, 'base64url').toString())))).toString('base64url');

  test.each([
    ['that is cut off', (cursor: string) => cursor.slice(0, -3), {}],
    ['with white space', (cursor: string) => `${cursor}\n`, {}],
    ['that is no cursor', () => 'next', {}],
    ['of another workspace', (cursor: string) => cursor, { workspace: 'other' }],
    ['of another filter', (cursor: string) => cursor, { filter: { actor: 'ann' } }],
    ['with another query', forged(([tag, place]) => [tag, { ...place, query: 7 }]), {}],
    ['with more than it has', forged(([tag, place]) => [tag, { ...place, asking: Array(501).fill('a') }]), {}],
    ['with a token of another form', forged(([tag, place]) => [tag, { ...place, token: 'eyJDbG9zZVRpbWUiOjd9' }]), {}],
    ['with a token that Temporal refuses', forged(([tag, place]) => [tag, { ...place, token: 'eyJSdW5JRCI6IngifQ==' }]), {}],
    ['with a token that is no JSON', forged(([tag, place]) => [tag, { ...place, token: 'AAAA' }]), {}],
    ['of another tag', forged(([, place]) => ['a', place]), {}],
  ])('%s is refused', async (_, change, more) => {
    const { page } = platformOf(operations(5, [1]));
    const { next = '' } = await page('operations.list', { workspace: 'w', limit: 3 });
    const asked = page('operations.list', { workspace: 'w', after: change(next), ...more });
    await expect(asked).rejects.toMatchObject({ details: { code: 'bad-cursor' } });
  });

  test('and a page have a greatest size', async () => {
    const { page } = platformOf([]);
    const refused = { details: { code: 'bad-request' } };
    await expect(page('operations.list', { limit: 1_001 })).rejects.toMatchObject(refused);
    await expect(page('infras.list', { workspace: 'w', after: 'A'.repeat(16_385) })).rejects.toMatchObject(refused);
  });
});
