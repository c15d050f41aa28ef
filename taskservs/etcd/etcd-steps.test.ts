import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { CONFIG } from '../../test/support/etcd-model.js';
import { PRINT_IDENTITY } from './etcd-ask.js';
import { joinStep, keepDataStep } from './etcd-steps.js';

const folder = mkdtempSync(join(tmpdir(), 'etcd-steps-'));
const wal = join(folder, 'etcd/default/member/wal');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, 'etcd'), { recursive: true });
});

/** A log of etcd: a record of the CRC, and one with the identities of the member and its cluster. */
function writeData(): void {
  mkdirSync(wal, { recursive: true });
  const record = (message: number[]): Buffer => {
    const padding = (8 - (message.length % 8)) % 8;
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(message.length) | (padding > 0 ? BigInt(0x80 | padding) << 56n : 0n));
    return Buffer.concat([length, Buffer.from(message), Buffer.alloc(padding)]);
  };
  const identity = [0x08, 0x2e, 0x10, 0x1f];
  const records = [record([0x08, 0x04, 0x10, 0x00]), record([0x08, 0x01, 0x10, 0x00, 0x1a, identity.length, ...identity])];
  writeFileSync(join(wal, '0000000000000000-0000000000000000.wal'), Buffer.concat(records));
}

/** Runs a script of the journal of a step on a host whose data is in a folder. Members are one that answers. */
function play(name: '3.run' | '3.undo', script: string, members = ''): { status: number | null; stdout: string; stderr: string } {
  const asked = join(folder, 'asked');
  const host = `runuser() { while [ "$1" != -- ]; do shift; done; shift; "$@"; }
systemctl() { :; }; sleep() { :; }; install() { mkdir -p "\${@: -1}"; }
etcdctl() { case "$*" in *'member list') printf '%s\\n' ${members || "'a1, started, a, https://a:2380, https://a:2379, false'"} ;; *'member '*) echo "\${*: -2}" >>${asked} ;; esac; }`;
  const path = join(folder, name);
  writeFileSync(
    path,
    `${host}\n${script.replaceAll('/var/lib/', `${folder}/`).replaceAll('/run/provisioning-etcd', `${folder}/run`)}`,
  );
  return spawnSync('bash', ['-euo', 'pipefail', path], { encoding: 'utf8' });
}

const askedOf = (): string => {
  try {
    return readFileSync(join(folder, 'asked'), 'utf8');
  } catch {
    return '';
  }
};

test('the identity of a member is read from its data; what cannot be read is no missing data', () => {
  const ask = () => play('3.run', PRINT_IDENTITY);
  expect(ask()).toMatchObject({ status: 0, stdout: '' });
  writeData();
  expect(ask()).toMatchObject({ status: 0, stdout: 'data 1f 2e\n', stderr: '' });
  rmSync(wal, { recursive: true });
  writeFileSync(wal, '');
  expect(ask()).toMatchObject({ status: 1, stdout: '' });
});

const listed = "'a1, started, a, https://a:2380, https://a:2379, false' 'b1, unstarted, , https://b:2380, , true'";
const { run, undo } = joinStep({ config: CONFIG, cluster: 'main', server: 'b', others: [{ address: 'a' } as never] }) as {
  run: string;
  undo: string;
};

test('the undo of a join takes out the member that the join added, also if it was cut off', () => {
  expect(play('3.run', run, listed)).toMatchObject({ status: 0, stderr: '' });
  expect(play('3.undo', undo, listed)).toMatchObject({ status: 0, stderr: '' });
  expect(askedOf()).toBe('remove b1\n');
});

test('a join that finds a member there does nothing, and neither does its undo', () => {
  writeData();
  expect(play('3.run', run, listed)).toMatchObject({ status: 0, stderr: '' });
  expect(play('3.undo', undo, listed)).toMatchObject({ status: 0, stderr: '' });
  expect(askedOf()).toBe('');
});

test('data comes back only if this step put it aside', () => {
  const { run: keeps, undo: brings } = keepDataStep('main', { cluster: '1f', id: '2e' }) as { run: string; undo: string };
  const kept = join(folder, 'etcd/former-1f-2e/member/wal');
  writeData();
  expect(play('3.run', keeps).status).toBe(0);
  expect(play('3.undo', brings).status).toBe(0);
  expect(play('3.run', PRINT_IDENTITY).stdout).toBe('data 1f 2e\n');
  // An earlier operation put it aside.
  rmSync(join(folder, '3.changed'));
  mkdirSync(kept, { recursive: true });
  rmSync(join(folder, 'etcd/default'), { recursive: true });
  expect(play('3.run', keeps).status).toBe(0);
  expect(play('3.undo', brings).status).toBe(0);
  expect(play('3.run', PRINT_IDENTITY)).toMatchObject({ status: 0, stdout: '' });
});
