import { expect, test } from 'vitest';
import { quotaLines } from './quota-lines.js';

const plain = (_: string, text: string) => text;
const use = { workspace: 'default', of: 'servers', limit: 3 } as const;

test.each([
  ['stays below', { ...use, used: 1, after: 2 }, ''],
  ['is at the limit already', { ...use, used: 3, after: 3 }, ''],
  ['is over the limit already, and takes no more', { ...use, used: 5, after: 4 }, ''],
  ['reaches', { ...use, used: 1, after: 3 }, 'quota: servers of the workspace "default": 3 of 3: reached\n'],
  [
    'exceeds',
    { ...use, used: 3, after: 4, exceeded: true as const },
    'quota: servers of the workspace "default": 4 of 3: exceeded, so the change would be refused\n',
  ],
])('a plan that %s a quota', (_, one, text) => {
  expect(quotaLines([one], plain)).toBe(text);
});

test('a cost has its currency, and all workspaces together are called so', () => {
  const one = { workspace: '*', of: 'monthly cost', limit: 50, used: 10, after: 60.5, currency: 'EUR', exceeded: true } as const;
  expect(quotaLines([one], plain)).toBe(
    'quota: monthly cost of all workspaces together: 60.5 EUR of 50 EUR: exceeded, so the change would be refused\n',
  );
});
