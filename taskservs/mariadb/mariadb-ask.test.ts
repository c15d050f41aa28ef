import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { memberFact, readMember } from './mariadb-ask.js';

const UUID = '7291b672-ecca-11f1-8b38-a68ee54cb89b';
const state = (seqno: number, safe: 0 | 1) => `uuid:    ${UUID}\nseqno:   ${seqno}\nsafe_to_bootstrap: ${safe}\n`;
const status = (more: Record<string, string | number> = {}) =>
  Object.entries({
    ...{ local_state_comment: 'Synced', cluster_size: 3, cluster_state_uuid: UUID, cluster_status: 'Primary', ready: 'ON' },
    ...more,
  })
    .map(([name, value]) => `wsrep_${name}\t${value}\n`)
    .join('');

test('a member serves with a majority that it takes writes with', () => {
  const serves = { group: UUID, runs: true, serves: true, size: 3 };
  expect(readMember({ stdout: `${state(-1, 0)}runs\n${status()}`, exit: 0 })).toEqual({ ...serves, state: 'Synced' });
  const giving = 'Donor/Desynced';
  expect(readMember({ stdout: `${state(-1, 0)}runs\n${status({ local_state_comment: giving })}`, exit: 0 })).toEqual({
    ...{ ...serves, state: giving },
  });
});

test.each([
  [{ cluster_status: 'non-Primary' }],
  [{ ready: 'OFF' }],
  [{ local_state_comment: 'Joined' }],
  [{ cluster_state_uuid: 'x' }],
])('a member does not serve if it says %j', (more) => {
  expect(readMember({ stdout: `${state(-1, 0)}runs\n${status(more)}`, exit: 0 })).toMatchObject({ group: UUID, serves: false });
});

test('a member that ended in order says where its data ends, one that did not does not', () => {
  const down = { group: UUID, runs: false, serves: false };
  expect(readMember({ stdout: state(12, 1), exit: 0 })).toEqual({ ...down, seqno: 12, safe: true });
  expect(readMember({ stdout: state(-1, 0), exit: 0 })).toEqual(down);
});

test('a member that looks for others says where its data ends, as it found at that start', () => {
  const stdout = `${state(-1, 1)}runs\nwaits\nrecovered: ${UUID}:12\n`;
  const waits = { group: UUID, runs: true, serves: false, waits: true };
  expect(readMember({ stdout, exit: 0 })).toEqual({ ...waits, safe: true, seqno: 12 });
  const other = stdout.replace(/recovered: 7/, 'recovered: 8');
  expect(readMember({ stdout: other, exit: 0 })).toEqual({ ...waits, safe: true });
});

test('a member without data is none of a cluster, whether it has databases or a part of a copy', () => {
  const none = `uuid: 00000000-0000-0000-0000-000000000000\nseqno: -1\nsafe_to_bootstrap: 0\n`;
  expect(readMember({ stdout: `${none}partial\ndatabases\n`, exit: 0 })).toEqual({
    ...{ databases: true, partial: true, runs: false, serves: false },
  });
});

test('what has another form does not count', () => {
  for (const stdout of ['', 'uuid: $(reboot)\nseqno: 1\n', `uuid: ${UUID};x\nsafe_to_bootstrap: 1\n`, '\u0000'])
    expect(readMember({ stdout, exit: 0 })).toEqual({ runs: false, serves: false });
  const hostile = `runs\n${status({ cluster_size: '3; reboot', local_state_comment: '$(reboot)' })}`;
  expect(readMember({ stdout: hostile, exit: 0 })).toEqual({ runs: true, serves: false });
});

const { run } = memberFact() as { run: string };
const ask = (world: string) =>
  spawnSync('bash', ['-c', `systemctl() { echo inactive; return 3; }\n${world}\n${run}`], { encoding: 'utf8' });
const DATA_THERE = 'getent() { :; }; [() { case "$*" in "-e "*) return 0 ;; *) builtin [ "$@" ;; esac; }';

test('a member that cannot be read fails: it is not one without data', () => {
  expect(ask(`${DATA_THERE}; runuser() { echo "uuid: ${UUID}"; }`)).toMatchObject({ stdout: `uuid: ${UUID}\n`, status: 0 });
  expect(ask('getent() { return 2; }')).toMatchObject({ stdout: '', status: 0 });
  for (const fault of ['runuser() { return 1; }', 'getent() { return 1; }'])
    expect(ask(`${DATA_THERE}; ${fault}`)).toMatchObject({ stdout: '', status: 1 });
});

test('one that is to start again does not run, and what cannot be read is nothing to a single server', () => {
  const world = (sub: string) => `${DATA_THERE}; runuser() { echo partial; }; grep() { :; }
systemctl() { case "$1" in is-active) echo activating; return 3 ;; show) echo ${sub} ;; esac; }; journalctl() { :; }; timeout() { return 1; }`;
  expect(readMember({ ...ask(world('auto-restart')), exit: 0 })).toEqual({ partial: true, runs: false, serves: false });
  expect(readMember({ ...ask(world('start')), exit: 0 })).toEqual({ partial: true, runs: true, waits: true, serves: false });
  const single = (memberFact(true) as { run: string }).run;
  expect(spawnSync('bash', ['-c', `${DATA_THERE}; runuser() { return 1; }\n${single}`]).status).toBe(0);
});

test('data that is in the middle of a transfer is not one that was cut off', () => {
  expect(readMember({ stdout: 'partial\ndatabases\ntransfers\nruns\n', exit: 0 })).toEqual({
    ...{ databases: true, transfers: true, runs: true, serves: false },
  });
});
