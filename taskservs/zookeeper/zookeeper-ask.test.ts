import { expect, test } from 'vitest';
import { readMember } from './zookeeper-ask.js';

const GROUP = '6c6ae3f2-0000-4000-8000-000000000001';
const entry = (id: number, name: string, role = 'participant') => `server.${id}=${name}:2888:3888:${role};0.0.0.0:2181`;
const listed = (id: string, name: string) => ({ id, peers: `${name}:2888:3888`, clients: '0.0.0.0:2181' });

test('the answer of a host has its data, its lead and the members with a vote', () => {
  const stdout = `data 1 ${GROUP}
Mode: leader
zk_synced_followers\t1
${[entry(1, 'a'), entry(2, 'b'), entry(3, 'c', 'observer')].join('\n')}
`;
  expect(readMember({ stdout, exit: 0 })).toEqual({
    ...{ data: { id: '1', cluster: GROUP }, serves: true, leads: true },
    list: [listed('1', 'a'), listed('2', 'b')],
  });
});

test('a leader that lost its followers does not serve any more, before it steps back itself', () => {
  const stdout = `data 1 ${GROUP}\nMode: leader\nzk_synced_followers\t0\n${entry(1, 'a')}\n${entry(2, 'b')}\n${entry(3, 'c')}\n`;
  expect(readMember({ stdout, exit: 0 })).toEqual({ data: { id: '1', cluster: GROUP }, serves: false, leads: false, list: [] });
});

test('an observer has no vote, and one that is not listed does not serve', () => {
  const nothing = { serves: false, leads: false, list: [] };
  expect(readMember({ stdout: `data 2\nMode: observer\n${entry(1, 'a')}\n`, exit: 0 })).toEqual({ ...nothing, data: { id: '2' } });
  expect(readMember({ stdout: `data 2 ${GROUP}\nMode: follower\n${entry(1, 'a')}\n`, exit: 0 })).toEqual({
    ...nothing,
    data: { id: '2', cluster: GROUP },
  });
});

test('what has another form does not count', () => {
  const nothing = { serves: false, leads: false, list: [] };
  for (const stdout of ['', 'data x y\n', `data 1 $(reboot)\nMode: leader\n`, 'server.1=$(reboot):1:2:participant;x y\n'])
    expect(readMember({ stdout, exit: 0 })).toEqual(nothing);
});

test('what cannot be read is not taken for a member without data', () => {
  expect(() => readMember({ stdout: '', exit: 1 })).toThrow('its data could not be read');
});
