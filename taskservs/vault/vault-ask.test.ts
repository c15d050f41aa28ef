import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { memberFact, readMember } from './vault-ask.js';

const CLUSTER = '5f3b0c1e-8f0a-4d4e-9a1a-2f7d0c6b9e11';
const ID = 'b-0000ab12';
const status = (more: object) => `status ${JSON.stringify({ initialized: true, sealed: false, cluster_id: CLUSTER, ...more })}`;
const leader = (more: object = {}) => `leader ${JSON.stringify({ is_self: false, leader_address: 'https://a:8200', ...more })}`;
const peers = (...of: [string, boolean][]) => `peers ${JSON.stringify(of.map(([node_id, voter]) => ({ node_id, voter })))}`;
const read = (...lines: string[]) => readMember({ stdout: [`id ${ID}`, 'full', ...lines, ''].join('\n'), exit: 0 });

test('a member serves if it is unsealed, knows a leader, and has a vote as far as that is known', () => {
  expect(read(status({}), leader())).toEqual({
    ...{ id: ID, full: true, state: 'unsealed', cluster: CLUSTER, serves: true, leads: false },
  });
  expect(read(status({}), leader({ is_self: true }))).toMatchObject({ serves: true, leads: true });
  expect(read(status({}), leader({ leader_address: '', is_self: true }))).toMatchObject({ serves: false, leads: false });
  expect(read(status({}), leader(), peers(['a-1', true], [ID, false]))).toMatchObject({ serves: false });
  expect(read(status({}), leader(), peers(['a-1', true], [ID, true]))).toMatchObject({
    ...{
      serves: true,
      peers: [
        { id: 'a-1', votes: true },
        { id: ID, votes: true },
      ],
    },
  });
});

test('a sealed member, a new one and one that does not answer are told apart', () => {
  expect(read(status({ sealed: true, cluster_id: undefined }))).toMatchObject({ state: 'sealed', serves: false });
  expect(read(status({ sealed: true, initialized: false }))).toMatchObject({ state: 'new', full: false });
  expect(read()).toMatchObject({ state: 'silent', serves: false });
  expect(read(status({ removed_from_cluster: true, sealed: true }))).toMatchObject({ removed: true });
});

test('what has another form does not count', () => {
  const nothing = { full: false, state: 'silent', serves: false, leads: false };
  for (const stdout of ['', 'id $(reboot)\n', 'status []\nleader 7\n', 'status {"sealed":\n', 'id b\n'])
    expect(readMember({ stdout, exit: 0 })).toEqual(nothing);
  expect(read(status({}), leader(), 'peers [{"node_id":"$(x)","voter":true}]').peers).toBeUndefined();
  expect(read('autopilot {"cleanup_dead_servers":true,"min_quorum":3}').tidies).toBe(3);
  expect(read('autopilot {"cleanup_dead_servers":false,"min_quorum":3}').tidies).toBeUndefined();
});

test('what cannot be read is not taken for a member without data', () => {
  expect(() => readMember({ stdout: '', exit: 1 })).toThrow('its data could not be read');
});

/** Asks a host on which vault does not run. `stat` and `grep` are those of the user of vault. */
function ask(world: string) {
  const { run } = memberFact() as { run: string };
  const asUser = `runuser() { shift 3; "$@"; }; id() { :; }; systemctl() { return 3; }`;
  return spawnSync('bash', ['-c', `${asUser}\n${world}\nexport -f stat head grep\n${run}`], { encoding: 'utf8' });
}

const DATA = `head() { printf ${ID}; }; grep() { return 0; }
stat() { case "$*" in '-c %s'*) echo 65536 ;; esac; }`;

test('a host tells data that was joined from data of a mere start, and fails if it cannot be read', () => {
  expect(ask(DATA)).toMatchObject({ stdout: `id ${ID}\nfull\n`, status: 0 });
  expect(ask(`${DATA}; grep() { return 1; }`)).toMatchObject({ stdout: `id ${ID}\n`, status: 0 });
  expect(ask(`${DATA}; grep() { return 2; }`).status).toBe(1);
  expect(ask(`${DATA}; stat() { echo 'stat: Permission denied' >&2; return 1; }`).status).toBe(1);
  expect(ask(`${DATA}; stat() { echo 'stat: No such file or directory' >&2; return 1; }`)).toMatchObject({ stdout: '', status: 0 });
});
