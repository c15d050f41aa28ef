import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { OperationResult } from '../../core/operation/operation.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { remainsOf, repeatedSteps, shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, submit, untilStatus } from '../support/operations.js';

const why = await whyNoHosts('plain');
if (why) console.warn(`left out: ${why}`);

const INFRA = `ctl-${process.pid}`;
const CONF = '/etc/redis/redis.conf';
/** The actor of requests, regardless of the environment. */
const USER = userInfo().username;
const bin = resolve(dirname(fileURLToPath(import.meta.url)), '../../bin/provisioning.js');

describe.skipIf(why)('control of an operation on a host', () => {
  let engine: TestEngine;
  const a = shellOf(INFRA, 'a');
  const timing = { healthMs: 10_000, heartbeatMs: 5_000, retryMs: 200 };
  const client = () => engine.client();
  const define = (taskservs: Parameters<typeof definitionOf>[0]['taskservs']) =>
    definitionOf({ infra: INFRA, provider: 'local', servers: [{ name: 'a' }], taskservs });
  const redis = (port: number) => define([{ name: 'redis', config: { port } }]);
  const start = (more: Partial<Parameters<typeof submit>[1]>) => submit(engine, { infra: INFRA, timing, ...more });
  const ended = async (operation: string) => (await client()).operations.result({ operation });
  /** Runs a command as this user. */
  const by = (user: string) => async (command: string) => {
    const { exitCode, stdout } = await execa('node', [bin, 'workflow', ...command.split(' '), '--reason', 'tested'], {
      env: { ...engine.env, USER: user, SUDO_USER: '' },
      reject: false,
    });
    expect([command, exitCode, stdout]).toEqual([command, 0, expect.any(String)]);
  };
  const [ada, bob] = [by('ada'), by('bob')];
  const did = ({ control }: Pick<OperationResult, 'control'>) =>
    control.map(({ actor, did, on, why }) => [actor.split('@')[0], did, on, why].filter(Boolean).join(' '));

  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  test('approve, pause in the middle of a script, resume', async () => {
    const operation = await start({ definition: redis(6379), approve: ['before-change'] });
    const waiting = await untilStatus(engine, operation, 'waiting');
    expect(waiting.plan.length).toBeGreaterThan(2);
    expect(await remainsOf(INFRA)).toEqual([]);
    await ada(`approve ${operation} --no-wait`);
    const journal = `/var/lib/provisioning/operations/${operation}/redis/1`;
    await eventually(async () => expect(await a(`cat ${journal}/steps`)).toContain('start 0'));
    await bob(`pause ${operation}`);
    await eventually(async () => expect(await a(`cat ${journal}/end`)).toBe('paused'));
    const progress = await untilStatus(engine, operation, 'paused');
    expect(progress.waiting).toMatch(/^paused by \S+@\S+ since \S+ \(tested\)$/);
    const steps = await a(`cat ${journal}/steps`);
    await new Promise((done) => setTimeout(done, 2_000));
    expect(await a(`cat ${journal}/steps`)).toBe(steps);
    await ada(`resume ${operation} --no-wait`);
    const done = await ended(operation);
    expect([done.status, done.error, did(done)]).toEqual([
      'done',
      undefined,
      [`${USER} approved ${INFRA} tested`, `${USER} paused tested`, `${USER} resumed tested`],
    ]);
    expect(await repeatedSteps(a)).toEqual([]);
    expect(await a('redis-cli ping')).toBe('PONG');
  });

  test('retry with changed input; roll back; skip', async () => {
    // Another process's server holds redis's new port.
    await a('redis-server --port 6390 --daemonize yes --dir /tmp --save ""');
    const moved = await start({ definition: redis(6390), onFailure: 'ask' });
    expect((await untilStatus(engine, moved, 'waiting')).error?.on).toBe('a/redis');
    await ada(`retry ${moved} --set a/redis.port=6391 --no-wait`);
    const done = await ended(moved);
    expect([done.status, did(done)]).toEqual(['done', [`${USER} retried-with-input a/redis tested`]]);
    expect(await a('redis-cli -p 6391 ping')).toBe('PONG');

    const before = await a(`sha256sum <${CONF}`);
    const back = await start({ definition: redis(6390), onFailure: 'ask' });
    await untilStatus(engine, back, 'waiting');
    expect(await a(`sha256sum <${CONF}`)).not.toBe(before);
    await bob(`rollback ${back} --no-wait`);
    const rolled = await ended(back);
    expect([rolled.status, rolled.left, did(rolled)]).toEqual(['rolled-back', [], [`${USER} rollback a/redis tested`]]);
    expect(await a(`sha256sum <${CONF}`)).toBe(before);
    expect(await a('redis-cli -p 6391 ping')).toBe('PONG');

    const skipped = await start({ definition: redis(6390), onFailure: 'ask' });
    await untilStatus(engine, skipped, 'waiting');
    await ada(`skip ${skipped} --no-wait`);
    const without = await ended(skipped);
    expect([without.status, did(without)]).toEqual(['done', [`${USER} skipped a/redis tested`]]);
    expect(without.skipped).toEqual([
      { on: 'a/redis', why: expect.stringMatching(/^redis on a was skipped by \S+@\S+ \(tested\)$/) },
    ]);
  });

  test('cancel, and force where a step and its rolling back hang', async () => {
    await a("printf '#!/bin/sh\\nsleep 987\\n' >/usr/local/sbin/apt-get; chmod +x /usr/local/sbin/apt-get");
    const operation = await start({
      definition: define(['node-exporter', { name: 'redis', config: { port: 6390 } }]),
      onFailure: 'rollback',
    });
    const isCurrent = async (on: string) =>
      eventually(async () => expect(await a(`pgrep -f '^sleep 987' >/dev/null && echo ${on}`)).toBe(on));
    await isCurrent('step');
    await bob(`cancel ${operation}`);
    await new Promise((done) => setTimeout(done, 1_500));
    expect((await (await client()).operations.progress({ operation })).status).toBe('running');
    await ada(`cancel ${operation} --force`);
    // The roll-back waits for the script that still hangs.
    await ada(`rollback ${operation} --force`);
    const result = await ended(operation);
    expect([result.status, did(result)]).toEqual([
      'canceled',
      [`${USER} cancel tested`, `${USER} force a/node-exporter tested`, `${USER} force taskserv node-exporter on a tested`],
    ]);
    expect(result.left?.join('\n')).toMatch(
      /^taskserv node-exporter on a \(given up by \S+@\S+: tested; provisioning workflow rollback /,
    );

    // After the script no longer hangs, the command in the result rolls back the rest.
    await a("rm /usr/local/sbin/apt-get; pkill -f '^sleep 987' || true");
    await bob(`rollback ${operation} --yes`);
    expect(await a("dpkg-query -W -f '${db:Status-Abbrev}' prometheus-node-exporter 2>/dev/null || echo absent")).not.toContain(
      'ii',
    );
  });
});
