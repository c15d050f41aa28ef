import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { memberFact, readMember } from './ask.js';
import type { KeyValueConfig } from './conf.js';
import { createPlaces } from './places.js';

const ID = '0123456789abcdef';
const sentinel = (ip: unknown, flags: unknown = 'sentinel') => ({ ip, flags });
const answer = (parts: Partial<Record<'info' | 'functions' | 'master' | 'sentinels' | 'replicas', unknown>>) => {
  const { info = { role: 'slave', loading: 0, master_host: 'a', master_link_status: 'up', master_sync_in_progress: 0 }, ...json } =
    parts;
  const known = {
    functions: [{ library_name: `provisioning_group_${ID}` }],
    master: { ip: 'a', flags: 'master' },
    sentinels: [sentinel('a'), sentinel('c')],
    replicas: [{ ip: 'b' }, { ip: 'c' }],
    ...json,
  };
  return [
    ...[`note ${ID}`, 'data', 'knows', 'name b', 'runs'],
    ...Object.entries(info as object).map(([key, value]) => `info ${key}:${value}`),
    ...Object.entries(known).map(([word, value]) => `${word} ${JSON.stringify(value)}`),
  ].join('\n');
};
const read = (parts: Parameters<typeof answer>[0] = {}) => readMember({ stdout: answer(parts), exit: 0 });

test('a member says whom it follows, and what its sentinel sees', () => {
  expect(read()).toEqual({
    ...{ group: ID, noted: ID, data: true, knows: true, runs: true, role: 'replica', linked: true, follows: 'a', name: 'b' },
    view: { primary: 'a', voters: 3, usable: 3, members: ['a', 'c', 'b'] },
  });
});

test('a sentinel that is not reached has a vote all the same', () => {
  for (const flags of ['s_down,sentinel', 'sentinel,disconnected', 'o_down,sentinel', 7])
    expect(read({ sentinels: [sentinel('a'), sentinel('c', flags)] }).view).toMatchObject({ voters: 3, usable: 2 });
});

test('one that loads its data, or gets that of the primary, does not have it', () => {
  expect(read({ info: { role: 'master', loading: 1 } }).role).toBeUndefined();
  const info = { role: 'slave', loading: 0, master_host: 'a', master_link_status: 'down', master_sync_in_progress: 0 };
  expect(read({ info }).linked).toBe(false);
  expect(read({ info: { ...info, master_link_status: 'up', master_sync_in_progress: 1 } }).linked).toBe(false);
});

test('the identity is that of the data, and of the note only if the data does not say it', () => {
  expect(read({ functions: [{ library_name: 'provisioning_group_fedcba9876543210' }] })).toMatchObject({
    ...{ group: 'fedcba9876543210', noted: ID },
  });
  expect(read({ functions: [] }).group).toBe(ID);
  const two = ['provisioning_group_fedcba9876543210', 'provisioning_group_1edcba9876543210'];
  expect(read({ functions: two.map((name) => ({ library_name: name })) }).group).toBe('1edcba9876543210');
});

test('what has another form does not count', () => {
  const hostile = ['$(reboot)', '-h', 'a b', "a'; reboot", '../../etc/passwd', 'a\nruns', '', 7, null, {}];
  for (const ip of hostile) {
    expect(read({ master: { ip } }).view).toBeUndefined();
    expect(read({ sentinels: [sentinel(ip), sentinel('c')], replicas: [{ ip }] }).view).toEqual({
      ...{ primary: 'a', voters: 3, usable: 3, members: ['a', 'c'] },
    });
    expect(read({ functions: [{ library_name: `provisioning_group_${ip}` }, null, 7] }).group).toBe(ID);
  }
  for (const sentinels of ['none', {}, null, 7]) expect(read({ sentinels }).view).toBeUndefined();
  const many = Array.from({ length: 5_000 }, (_, index) => ({ ip: `x${index}` }));
  expect(read({ replicas: many }).view?.members).toHaveLength(100);
  expect(readMember({ stdout: 'note $(reboot)\nname $(reboot)\nmaster {"ip"\nfunctions [', exit: 0 })).toEqual({
    ...{ data: false, knows: false, runs: false },
  });
});

const CONFIG = { port: 6379, sentinelPort: 26379 } as KeyValueConfig;
const { run } = memberFact(createPlaces('redis'), CONFIG, 'main') as { run: string };
const ask = (world: string) =>
  spawnSync('bash', ['-euo', 'pipefail', '-c', `systemctl() { return 3; }; getent() { :; }\n${world}\n${run}`], {
    encoding: 'utf8',
  });

test('a host says whether it has data, and fails if that cannot be read', () => {
  expect(ask('setpriv() { echo data; }')).toMatchObject({ stdout: 'data\n', status: 0 });
  expect(ask('setpriv() { return 1; }')).toMatchObject({ stdout: '', status: 1 });
  expect(ask('getent() { return 2; }; setpriv() { echo data; }')).toMatchObject({ stdout: '', status: 0 });
  expect(ask('getent() { return 1; }; setpriv() { echo data; }')).toMatchObject({ stdout: '', status: 1 });
});

test('a server that does not answer runs, and says nothing else', () => {
  const world = 'systemctl() { :; }; setpriv() { :; }; timeout() { return 124; }';
  expect(readMember({ ...ask(world), exit: 0 })).toEqual({ data: false, knows: false, runs: true });
});
