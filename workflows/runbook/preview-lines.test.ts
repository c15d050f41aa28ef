import { expect, test } from 'vitest';
import { listSeenGroups } from './preview-lines.js';
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
