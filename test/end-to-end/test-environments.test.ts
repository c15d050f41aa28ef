import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testWorkspaceOf } from '../../core/names.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { remainsOf, whyNoHosts } from '../support/hosts.js';
import { eventually, submit } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const PROGRAM = resolve(import.meta.dirname, '../../bin/provisioning.js');
const named = (what: string) => `testenv-${what}-${process.pid}`;
const CRASHED = named('crashed');

describe.skipIf(why)('test environments', () => {
  const folder = mkdtempSync(join(tmpdir(), 'test-environments-'));
  let engine: TestEngine;
  withHostEngine(CRASHED, (started) => {
    engine = started;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const nothingIsLeft = async (infra: string) => {
    expect(await remainsOf(infra)).toEqual([]);
    const client = await engine.client();
    expect(await client.infras.list({ workspace: testWorkspaceOf('default') })).not.toContain(infra);
    expect((await client.testEnvironments.list({ workspace: 'default' })).map((one) => one.infra)).not.toContain(infra);
  };

  test('test quick postgres: from nothing to cleaned up, with a script that fails', async () => {
    writeFileSync(join(folder, 'rows.sh'), "cd /\nrunuser -u postgres -- psql -Atc 'select 40 + 2' app\n");
    writeFileSync(join(folder, 'fails.sh'), '#!/bin/sh\nid -un\necho "<no rows>" >&2\nexit 3\n');
    const args = ['--script', 'rows.sh', '--script', 'fails.sh', '--junit', 'report.xml', '--memory', '768MiB', '--json'];
    const { code, stdout, stderr } = await provisioning(engine, ['test', 'quick', 'postgres', ...args], '', folder);
    expect([code, stderr]).toEqual([1, '']);
    const report = JSON.parse(stdout);
    expect([report.status, report.removed]).toEqual(['failed', true]);
    expect(report.tests.map((one: Record<string, unknown>) => [one.kind, one.name, one.status, one.exit, one.output])).toEqual([
      ['install', 'postgres is installed', 'passed', undefined, undefined],
      ['health', 'postgres is healthy', 'passed', undefined, undefined],
      ['unchanged', 'postgres needs no further change', 'passed', undefined, undefined],
      ['script', 'rows.sh', 'passed', 0, '42\n'],
      ['script', 'fails.sh', 'failed', 3, 'root\n<no rows>\n'],
    ]);
    const junit = readFileSync(join(folder, 'report.xml'), 'utf8');
    expect(junit).toContain('tests="5" failures="1" errors="0" skipped="0"');
    expect(junit).toContain('root\n&lt;no rows&gt;\n</system-out>');
    await nothingIsLeft(report.environment);
  });

  test('a command and a worker that are killed in the midst of it leave nothing after the next command', async () => {
    const command = begin(['test', 'env', 'single', 'postgres', '--name', CRASHED, '--auto-cleanup', '--ttl', '1h']);
    await eventually(async () => expect((await remainsOf(CRASHED)).length).toBeGreaterThanOrEqual(2));
    command.kill('SIGKILL');
    await once(command, 'close');
    await engine.killWorker();
    await engine.up();
    const unasked = await provisioning(engine, ['test', 'env', 'cleanup', '--all', '--json']);
    expect([unasked.code, unasked.stdout + unasked.stderr]).toEqual([2, expect.stringContaining('needs-yes')]);
    expect(await remainsOf(CRASHED)).not.toEqual([]);
    const { code, stdout } = await provisioning(engine, ['test', 'env', 'cleanup', '--expired', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { removed: [CRASHED], failed: [] }]);
    await nothingIsLeft(CRASHED);
  });

  test('what nobody ends goes when its time is over, with what is at work on it', async () => {
    const infra = named('expired');
    const workspace = testWorkspaceOf('default');
    const client = await engine.client();
    await client.testEnvironments.create({ workspace: 'default', infra, type: 'single', about: 'redis', ttlMs: 5_000 });
    const file = { infra, provider: 'local', servers: [{ name: 'main', taskservs: ['redis'] }] };
    const definition = { ...definitionOf(file), workspace };
    const operation = await submit(engine, { infra, workspace, definition, onFailure: 'keep' });
    // Canceled at its expiry, or done before: in both cases nothing of it stays.
    await client.operations.result({ operation });
    await eventually(() => nothingIsLeft(infra));
    const records = await client.audit.list({ filter: { method: 'test-environment.expire' } });
    const resource = `Infra ${workspace}/${infra}`;
    expect(records).toMatchObject([{ door: 'platform', outcome: 'done', reason: 'expired', resource }]);
    expect(records[0]?.operation).toMatch(/^cluster-delete-/);
  });

  const begin = (args: string[]): ChildProcess =>
    spawn(process.execPath, [PROGRAM, ...args], { env: engine.env, cwd: folder, stdio: 'ignore' });
});
