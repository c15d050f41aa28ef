import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { config } from './kafka-config.js';
import { pickHosts } from './kafka-places.js';
import { createFounding, createSingle } from './kafka-steps.js';

const folder = mkdtempSync(join(tmpdir(), 'kafka-steps-'));
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true });
  writeFileSync(join(folder, 'server.properties'), 'node.id=7\nlog.dirs=x\nlisteners=CLIENTS://a:1,PEERS://a:2,CONTROLLER://a:3\n');
  writeFileSync(join(folder, 'kafka.service'), 'WorkingDirectory=/opt/kafka/1\n');
  // Makes data as the program of Kafka does.
  const java = `#!/bin/bash
data=$(sed -n 's/^log.dirs=//p' "$9")
mkdir -p "$data"
printf 'cluster.id=%s\\nnode.id=7\\ndirectory.id=AAAAAAAAAAAAAAAAAAAAAA\\n' "$7" >"$data/meta.properties"
`;
  writeFileSync(join(folder, 'java'), java);
  chmodSync(join(folder, 'java'), 0o755);
});

/** Runs a script of a step on a host whose files are in a folder. Functions stand for its programs. */
function play(script: string): { status: number | null; stdout: string; stderr: string } {
  const here = script
    .replaceAll('/var/lib/kafka', folder)
    .replaceAll('/etc/kafka', folder)
    .replaceAll('/etc/systemd/system', folder)
    .replaceAll('/usr/bin/java', join(folder, 'java'));
  const host = `id() { :; }\nrunuser() { shift 3; "$@"; }\ninstall() { :; }\nsystemctl() { :; }`;
  return spawnSync('bash', ['-euo', 'pipefail', '-c', `${host}\n${here}`], { encoding: 'utf8' });
}

const CONFIG = config.parse({});
const peers = pickHosts('loopback', 'a', 'address');
const { run, undo } = createSingle({ config: CONFIG, server: 'a', peers, others: [] }) as { run: string; undo: string };
const META = 'cluster.id=BBBBBBBBBBBBBBBBBBBBBB\nnode.id=7\ndirectory.id=CCCCCCCCCCCCCCCCCCCCCC\n';

test('data that a step began is kept beside when it is undone', () => {
  expect(play(run)).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(data, 'meta.properties'), 'utf8')).toContain('directory.id=AAAA');
  expect(existsSync(join(folder, 'clustered'))).toBe(false);
  expect(play(undo)).toMatchObject({ status: 0, stderr: '' });
  expect([existsSync(data), existsSync(`${data}.undone`), existsSync(join(folder, 'begun'))]).toEqual([false, true, false]);
});

test('data that a step has not begun stays where it is', () => {
  mkdirSync(data);
  writeFileSync(join(data, 'meta.properties'), META);
  writeFileSync(join(folder, 'joining'), '');
  expect(play(run).status).toBe(0);
  expect(play(undo).status).toBe(0);
  // That of an earlier step is another one.
  writeFileSync(join(folder, 'begun'), 'AAAAAAAAAAAAAAAAAAAAAA\n');
  expect(play(undo).status).toBe(0);
  expect([readFileSync(join(data, 'meta.properties'), 'utf8'), existsSync(join(folder, 'joining'))]).toEqual([META, true]);
});

test('data of a cluster is marked as such', () => {
  const { run } = createFounding({ ...{ config: CONFIG, cluster: 'main', server: 'a', peers }, others: [] }) as { run: string };
  expect(play(run.replaceAll('systemctl', 'true'))).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(join(folder, 'clustered'))).toBe(true);
});
