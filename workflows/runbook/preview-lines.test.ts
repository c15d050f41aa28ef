import { expect, test } from 'vitest';
import { listSeenGroups, previewServices } from './preview-lines.js';
import type { ServerDecision } from './server-decision.js';

const on = (server: string, name: string, states: string): ServerDecision => ({
  ...{ server, expected: false },
  services: [
    {
      ...{ taskserv: 'etcd', steps: [], healthy: true },
      group: {
        ...{ name, needed: 2 },
        members: [...states].map((state, index) => ({
          server: `${index}`,
          state: state === '+' ? 'seen' : state === '?' ? 'silent' : 'expected',
        })),
      },
    },
  ],
});

test('each group is told once, by the look that saw most of it, and one that is yet to be founded is not', () => {
  const groups = listSeenGroups([on('a', 'main', '+?.'), on('b', 'main', '++.'), on('c', 'main', '.++'), on('d', 'new', '...')]);
  expect(groups.map(({ taskserv, name, members }) => [taskserv, name, members.map(({ state }) => state)])).toEqual([
    ['etcd', 'main', ['seen', 'seen', 'expected']],
  ]);
});

test('a share that several members need has one line, before the first step that needs it', () => {
  const joins = (server: string, group: string): ServerDecision => ({
    ...{ server, expected: false },
    services: [
      {
        ...{ taskserv: 'etcd', steps: [{ title: 'Join', run: 'x', undo: 'y' }], healthy: true },
        standing: { group, state: 'expected' },
        shares: [{ name: 'token', title: 'Make a join token', on: 'a' }],
      },
    ],
  });
  const lines = previewServices([joins('b', 'main'), joins('c', 'main'), joins('d', 'other')]);
  const joined = (server: string) => [server, 'Join'];
  const made = ['a', 'Make a join token'];
  expect(lines.map(({ on, title }) => [on, title])).toEqual([made, joined('b'), joined('c'), made, joined('d')]);
});
