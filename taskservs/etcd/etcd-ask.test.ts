import { expect, test } from 'vitest';
import { readMember } from './etcd-ask.js';

const ANSWER = `data cdf818194e3a8c32 8e9e05c52164694d
member 8e9e05c52164694d, started, a, https://a:2380, https://a:2379, false
member 91bc3c398fb3c146, unstarted, , https://b:2380, , true
status https://127.0.0.1:2379, 8e9e05c52164694d, 3.4.23, 20 kB, true, false, 2, 4, 4, 
healthy 1
`;

test('the answer of a host has its data, its list and its lead', () => {
  expect(readMember({ stdout: ANSWER, exit: 0 })).toEqual({
    data: { cluster: 'cdf818194e3a8c32', id: '8e9e05c52164694d' },
    ...{ serves: true, leads: true, joining: false },
    list: [
      { id: '8e9e05c52164694d', name: 'a', peers: 'https://a:2380', learner: false },
      { id: '91bc3c398fb3c146', name: '', peers: 'https://b:2380', learner: true },
    ],
  });
});

test('what has another form does not count', () => {
  const nothing = { serves: false, leads: false, joining: false, list: [] };
  for (const stdout of ['', 'data x y\n', 'member $(reboot), started, a, https://a:2380, , false\nhealthy 0\n', 'healthy 11\n'])
    expect(readMember({ stdout, exit: 0 })).toEqual(nothing);
  expect(readMember({ stdout: 'data 1f 2e\njoining\n', exit: 0 })).toEqual({
    ...{ ...nothing, joining: true, data: { cluster: '1f', id: '2e' } },
  });
});
