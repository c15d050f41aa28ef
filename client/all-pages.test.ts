import { expect, test } from 'vitest';
import { clientOver } from './client.js';

/** Creates a platform with this number of operations, whose pages have at most a thousand. */
function platformOf(count: number) {
  const asked: object[] = [];
  const client = clientOver({
    async call(_, input) {
      const { after = '0', limit = 50 } = input as { after?: string; limit?: number };
      asked.push(input as object);
      const [from, end] = [Number(after), Math.min(count, Number(after) + Math.min(limit, 1_000))];
      const items = Array.from({ length: end - from }, (_, index) => ({ operation: `op-${from + index}` }));
      return { items, ...(end < count && { next: String(end) }) };
    },
    async *stream() {},
    close: async () => {},
  });
  return { client, asked };
}

test('a list has what the caller asked for, however many pages that takes', async () => {
  const { client, asked } = platformOf(2_600);
  expect(await client.operations.list({})).toHaveLength(50);
  expect(asked).toEqual([{}]);
  asked.length = 0;
  const all = await client.operations.list({ workspace: 'w', limit: 2_500 });
  expect(new Set(all.map(({ operation }) => operation)).size).toBe(2_500);
  expect(asked).toEqual([
    { workspace: 'w', limit: 1_000 },
    { workspace: 'w', limit: 1_000, after: '1000' },
    { workspace: 'w', limit: 500, after: '2000' },
  ]);
  expect(await client.operations.list({ limit: 9_999 })).toHaveLength(2_600);
  expect(await client.operations.list({ after: '2590' })).toHaveLength(10);
  expect(await client.operations.list({ limit: 0 })).toEqual([]);
});

test('without a limit of its own, a list has everything', async () => {
  const { client } = platformOf(120);
  expect(await client.infras.list({ workspace: 'w' })).toHaveLength(120);
});

test('an item that moved to a later page is there once, and a list of a former worker is taken as it is', async () => {
  const pages = [
    { items: [{ operation: 'a' }, { operation: 'b' }], next: 'x' },
    { items: [{ operation: 'a' }, { operation: 'c' }] },
  ];
  const over = (call: () => unknown) => clientOver({ call: async () => call(), async *stream() {}, close: async () => {} });
  expect(await over(() => pages.shift()).operations.list({ limit: 10 })).toEqual([
    { operation: 'a' },
    { operation: 'b' },
    { operation: 'c' },
  ]);
  expect(await over(() => [{ operation: 'a' }]).operations.list({})).toEqual([{ operation: 'a' }]);
});
