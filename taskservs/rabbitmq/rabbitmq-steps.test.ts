import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { cookieStep, createNode } from './rabbitmq-steps.js';

const folder = mkdtempSync(join(tmpdir(), 'rabbitmq-steps-'));
const own = join(folder, 'provisioning');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true });
  mkdirSync(own);
});

/** Runs a script of a step on a host whose data is in a folder. Functions stand for its programs. */
function play(script: string, world = ''): { status: number | null; stderr: string } {
  const host = `runuser() { shift 3; "$@"; }\nsystemctl() { :; }\n${world}`;
  return spawnSync('bash', ['-euo', 'pipefail', '-c', `${host}\n${script.replaceAll('/var/lib/rabbitmq', folder)}`], {
    encoding: 'utf8',
  });
}

const note = (file: string, text: string): void => writeFileSync(join(own, file), text);
const { run, undo } = createNode({ cluster: 'main', server: 'b', others: ['a'] }) as { run: string; undo: string };

test('a node is made with a name that no node had, and its undo forgets it', () => {
  expect(play(run).status).toBe(0);
  expect(readFileSync(join(own, 'node'), 'utf8')).toMatch(/^rabbit-[0-9a-f]{8}@b\n$/);
  expect(play(undo).status).toBe(0);
  expect(existsSync(own)).toBe(false);
});

test('a member that belongs to a cluster by now keeps its place, whether the step is undone or not', () => {
  note('node', 'rabbit-0000000b@b\n');
  note('cluster', 'rabbitmq-cluster-id-1\n');
  const { status, stderr } = play(run, 'systemctl() { echo stopped >&2; }');
  expect([status, stderr]).toEqual([1, 'it belongs to a cluster by now: apply again\n']);
  expect(play(undo, 'systemctl() { exit 9; }').status).toBe(0);
  expect(readdirSync(own).sort()).toEqual(['cluster', 'node']);
});

/** Sets a cookie on a host whose tool reaches its node if this has the wanted one, or takes it. */
function setCookie(tool: string): { status: number | null; stderr: string; cookie: string; files: string[] } {
  const { run } = cookieStep('main', { $secret: 'k' }) as { run: string };
  writeFileSync(join(folder, '.erlang.cookie'), 'former');
  writeFileSync(join(folder, 'rabbitmqctl'), `#!/bin/bash\n${tool}\n`);
  chmodSync(join(folder, 'rabbitmqctl'), 0o755);
  const script = run.replaceAll('/usr/lib/rabbitmq/bin', folder).replaceAll('sleep 3', ':');
  const { status, stderr } = play(`printf '%s\\n' ${'n'.repeat(20)} | { ${script}\n}`);
  const files = readdirSync(folder).filter((file) => file.startsWith('.erlang'));
  return { status, stderr, cookie: readFileSync(join(folder, '.erlang.cookie'), 'utf8').trim(), files };
}

test('a running member takes a cookie, or keeps the former one and the step fails', () => {
  note('node', 'rabbit-0000000b@b\n');
  const done = { status: 0, cookie: 'n'.repeat(20), files: ['.erlang.cookie'] };
  expect(setCookie('exit 0')).toMatchObject(done);
  // It took it before, and this was cut off.
  expect(setCookie(`[ "$2" = ping ] && grep -q nnn ${folder}/.erlang.cookie`)).toMatchObject(done);
  expect(setCookie('exit 1')).toMatchObject({ status: 1, cookie: 'former', files: ['.erlang.cookie'] });
  rmSync(join(own, 'node'));
  expect(setCookie('exit 1')).toMatchObject(done);
});
