import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { memberFact, peerId, readMember } from './nats-ask.js';

const meta = (more: object) =>
  JSON.stringify({ streams: 1, meta_cluster: { name: 'main', leader: 'a', peer: peerId('a'), cluster_size: 3, ...more } });
const answer = (name: string, health: object, jsz: string) =>
  `data main\nruns\nname "${name}"\nhealth ${JSON.stringify(health)}\njsz ${jsz}\n`;

test('the leader knows the members, each other one only how many they are', () => {
  const c = { name: `Server name unknown at this time (peerID: ${peerId('c')})`, offline: true, peer: peerId('c') };
  const replicas = [{ name: 'b', current: true, peer: peerId('b') }, c];
  const known = { cluster: 'main', runs: true, serves: true, leads: true, voters: 3 };
  expect(readMember({ stdout: answer('a', { status: 'ok' }, meta({ replicas })), exit: 0 })).toEqual({
    ...known,
    peers: ['GR5IGR3G', '0ZkM0vRC', 'k1i3jIye'],
  });
  expect(readMember({ stdout: answer('b', { status: 'ok' }, meta({})), exit: 0 })).toEqual({ ...known, leads: false });
});

test('a leader that does not know of all members yet knows none', () => {
  const [b, other] = [{ peer: peerId('b') }, { peer: '$(reboot)' }];
  for (const replicas of [[], [b], [b, b], [b, other], [b, null], [b, { peer: peerId('c') }, { peer: peerId('d') }]])
    expect(readMember({ stdout: answer('a', { status: 'ok' }, meta({ replicas })), exit: 0 }).peers).toBeUndefined();
});

test('data without a configuration is known, and belongs to no cluster', () => {
  expect(readMember({ stdout: 'orphan\n', exit: 0 })).toEqual({ orphan: true, runs: false, serves: false, leads: false });
});

const { run } = memberFact(8222) as { run: string };
/** Asks a host on which nats does not run. */
const ask = (world: string) =>
  spawnSync('bash', ['-c', `systemctl() { return 3; }; getent() { :; }\n${world}\n${run}`], { encoding: 'utf8' });
/** A host with data. */
const DATA_THERE = `[() { case "$*" in '-e '*) return 0 ;; *) builtin [ "$@" ;; esac; }
runuser() { echo /some.blk; }; cat() { printf '%s\\n' 'cluster {' '  name: "main", listen: "0.0.0.0:6222"'; }`;

test('a host says whose its data is, and fails if that cannot be read', () => {
  expect(ask(DATA_THERE)).toMatchObject({ stdout: 'data main\n', status: 0 });
  expect(ask(`${DATA_THERE}; cat() { :; }`)).toMatchObject({ stdout: 'orphan\n', status: 0 });
  expect(ask(`${DATA_THERE}; runuser() { :; }`)).toMatchObject({ stdout: '', status: 0 });
  expect(ask(`${DATA_THERE}; getent() { return 2; }`)).toMatchObject({ stdout: '', status: 0 });
  for (const fault of ['runuser() { return 1; }', 'cat() { return 1; }', 'getent() { return 1; }'])
    expect(ask(`${DATA_THERE}; ${fault}`)).toMatchObject({ stdout: '', status: 1 });
});

test('a member whose streams are not up to date does not serve, and says why', () => {
  const error = 'JetStream has not established contact with a meta leader';
  expect(readMember({ stdout: answer('a', { status: 'unavailable', error }, '{}'), exit: 0 })).toEqual({
    ...{ cluster: 'main', runs: true, serves: false, leads: false, why: error },
  });
});

test('a majority has to have agreed once: the first member belongs to nothing before the second is there', () => {
  const stdout = answer('a', { status: 'ok' }, meta({})).replace('data main\n', '');
  expect(readMember({ stdout, exit: 0 })).toEqual({ runs: true, serves: false, leads: false });
});

test('what has another form does not count', () => {
  const nothing = { runs: false, serves: false, leads: false };
  for (const stdout of ['', 'data $(reboot)\n', 'health {"status"\njsz []\n', 'jsz {"meta_cluster":{"leader":7}}\n'])
    expect(readMember({ stdout, exit: 0 })).toEqual(nothing);
});

test('what cannot be read is not taken for a member without data', () => {
  expect(() => readMember({ stdout: '', exit: 1 })).toThrow('its data could not be read');
});
