import { expect, test } from 'vitest';
import { hostFact, labelsFact, networkFact, readMember } from './kubernetes-ask.js';

const AUTHORITY = '0123456789abcdef0123456789abcdef';
const LIST = JSON.stringify({
  header: { cluster_id: '1', member_id: '11' },
  members: [
    { ID: '11', name: 'a', peerURLs: ['https://10.0.0.1:2380'] },
    { ID: '18446744073709551615', name: 'b', isLearner: true },
    { ID: 'x', name: 'c' },
    null,
  ],
});
const STATUS = JSON.stringify({ header: { member_id: '11' }, leader: '11' });
const ANSWER = `role control-plane
authority ${AUTHORITY}
runs
version 1.36.3
list ${LIST}
status ${STATUS}
agrees
ready
node a v1.36.3 True
node w-1.example v1.35.8 Unknown
node ; v1 True
`;

test('the answer of a control plane is read, and what has another form does not count', () => {
  expect(readMember({ stdout: ANSWER, exit: 0 })).toEqual({
    ...{ role: 'control-plane', authority: AUTHORITY, runs: true, version: '1.36.3', id: '11' },
    ...{ leads: true, agrees: true, ready: true },
    etcd: [
      { id: '11', name: 'a', learner: false },
      { id: '18446744073709551615', name: 'b', learner: true },
    ],
    nodes: [
      { name: 'a', version: '1.36.3', ready: true },
      { name: 'w-1.example', version: '1.35.8', ready: false },
    ],
  });
  for (const stdout of ['', 'role master', 'list {'])
    expect(readMember({ stdout, exit: 0 })).toEqual(readMember({ stdout: '', exit: 0 }));
  const without = readMember({ stdout: `role control-plane\nlist [1\nstatus "x"\nauthority ../x`, exit: 0 });
  expect(without).toEqual({ role: 'control-plane', runs: false, leads: false, agrees: false, ready: false, etcd: [], nodes: [] });
});

test('one that follows does not lead', () => {
  const stdout = ANSWER.replace('"leader":"11"', '"leader":"12"');
  expect(readMember({ stdout, exit: 0 }).leads).toBe(false);
});

const parse = <T>(fact: { kind: string }, stdout: string, exit = 0): T =>
  (fact as unknown as { parse(output: { stdout: string; exit: number }): T }).parse({ stdout, exit });

test('an API that does not answer is not one without a network or labels', () => {
  expect([parse(networkFact, '', 1), parse(networkFact, '\n'), parse(networkFact, 'abc')]).toEqual([
    {},
    { hash: '' },
    { hash: 'abc' },
  ]);
  expect([parse(labelsFact, '', 1), parse(labelsFact, '{"a":"b","c":1}')]).toEqual([{}, { labels: { a: 'b' } }]);
});

test('the host is read, and systemd manages control groups unless containerd says otherwise', () => {
  expect(parse(hostFact, '')).toMatchObject({ swap: false, nested: false, unified: false, systemd: true });
  expect(parse(hostFact, 'swap\nnested\nunified\ncgroupfs\nforwards\n')).toEqual({
    ...{ swap: true, nested: true, unified: true, systemd: false, forwards: true },
  });
});
