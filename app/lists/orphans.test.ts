import { expect, test, vi } from 'vitest';
import { clientOver } from '../../client/client.js';
import { type Orphan, sortOrphans } from '../../core/operation/orphans.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner } from '../principal.js';

const answer = vi.hoisted(() => ({ orphans: [] as Orphan[], unasked: [] as object[] }));
vi.mock('../infra/orphans.js', () => ({ askOrphans: async () => ({ ...answer, removed: [], kept: [], failed: [] }) }));

const orphan = (kind: Orphan['kind'], name: string, id = name): Orphan => ({
  ...{ kind, name, id, provider: 'demo', reason: 'nobody knows it' },
  scope: { workspace: 'w', infra: 'shop', uuid: 'u' },
});

const { call } = createDispatcher({
  engine: { stores: {} } as unknown as Engine,
  principal: createOwner('ann@desk'),
  checksAnswers: true,
});

test('orphans come in pages, in the order in which they can be removed, with the providers that did not answer', async () => {
  answer.orphans = sortOrphans([
    orphan('network', 'net'),
    orphan('volume', 'b/data'),
    orphan('server', 'b', '2'),
    orphan('server', 'b', '1'),
  ]);
  answer.unasked = [{ provider: 'aws', why: 'no credentials' }];
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const page = (await call('orphans.list', { workspace: 'w', limit: 1, ...(after && { after }) })) as {
      items: Orphan[];
      unasked: object[];
      next?: string;
    };
    expect(page.unasked).toEqual(answer.unasked);
    pages.push(page.items.map(({ kind, id }) => `${kind} ${id}`));
    // A listed resource may be gone before the next page.
    answer.orphans = answer.orphans.filter(({ id }) => id !== '1');
    after = page.next;
    if (after === undefined) break;
  }
  expect(pages).toEqual([['server 1'], ['server 2'], ['volume b/data'], ['network net']]);
  await expect(call('orphans.list', { workspace: 'w', after: '7' })).rejects.toMatchObject({ details: { code: 'bad-cursor' } });
});

test('a client gets all pages, and once each provider that did not answer', async () => {
  answer.orphans = sortOrphans(Array.from({ length: 2_300 }, (_, index) => orphan('server', `web-${index}`)));
  answer.unasked = [{ provider: 'aws', why: 'no credentials' }];
  const client = clientOver({ call, async *stream() {}, close: async () => {} });
  const { items, unasked } = await client.orphans.list({ workspace: 'w' });
  expect(new Set(items.map(({ id }) => id)).size).toBe(2_300);
  expect(items).toHaveLength(2_300);
  expect(unasked).toEqual(answer.unasked);
});
