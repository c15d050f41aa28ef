import { expect, test } from 'vitest';
import { readMember } from './nats-ask.js';

const meta = (more: object) =>
  JSON.stringify({ streams: 1, meta_cluster: { name: 'main', leader: 'a', cluster_size: 3, ...more } });
const answer = (name: string, health: object, jsz: string) =>
  `data main\nruns\nname "${name}"\nhealth ${JSON.stringify(health)}\njsz ${jsz}\n`;

test('the leader knows the members, each other one only how many they are', () => {
  const replicas = [{ name: 'b', current: true }, { name: 'c', offline: true }, { name: '$(reboot)' }];
  expect(readMember({ stdout: answer('a', { status: 'ok' }, meta({ replicas })) })).toEqual({
    ...{ cluster: 'main', runs: true, serves: true, leads: true, voters: 3 },
    list: ['a', 'b', 'c'],
  });
  expect(readMember({ stdout: answer('b', { status: 'ok' }, meta({})) })).toEqual({
    ...{ cluster: 'main', runs: true, serves: true, leads: false, voters: 3 },
  });
});

test('a member whose streams are not up to date does not serve, and says why', () => {
  const error = 'JetStream has not established contact with a meta leader';
  expect(readMember({ stdout: answer('a', { status: 'unavailable', error }, '{}') })).toEqual({
    ...{ cluster: 'main', runs: true, serves: false, leads: false, why: error },
  });
});

test('a majority has to have agreed once: the first member belongs to nothing before the second is there', () => {
  const stdout = answer('a', { status: 'ok' }, meta({})).replace('data main\n', '');
  expect(readMember({ stdout })).toEqual({ runs: true, serves: false, leads: false });
});

test('what has another form does not count', () => {
  const nothing = { runs: false, serves: false, leads: false };
  for (const stdout of ['', 'data $(reboot)\n', 'health {"status"\njsz []\n', 'jsz {"meta_cluster":{"leader":7}}\n'])
    expect(readMember({ stdout })).toEqual(nothing);
});
