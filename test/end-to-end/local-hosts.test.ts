import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { exitCodeOf } from '../../core/exit-codes.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, installsOf, remainsOf, repeatedSteps, shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, run, runWell, submit, untilStatus } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `e2e-${process.pid}`;
const CONF = '/etc/redis/redis.conf';
const timing = { healthMs: 20_000, heartbeatMs: 5_000, retryMs: 200 };

type File = Parameters<typeof definitionOf>[0];
const define = (servers: File['servers'], taskservs: File['taskservs'], infra = INFRA): Definition =>
  definitionOf({ infra, provider: 'local', servers, taskservs });

describe.skipIf(why)('hosts on this machine', () => {
  let engine: TestEngine;
  const client = () => engine.client();
  const apply = (definition: Definition, more = {}) => ({
    infra: definition.infra,
    definition,
    onFailure: 'keep' as const,
    timing,
    ...more,
  });
  const titles = ({ plan }: { plan: { on: string; title: string }[] }) => plan.map(({ on, title }) => `${on}: ${title}`);
  const a = shellOf(INFRA, 'a');
  const twoHosts = define([{ name: 'a' }, { name: 'b' }], ['redis', { name: 'firewall', on: { server: 'a' } }]);

  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  test('the first run does what the preview says, the second nothing', async () => {
    const preview = await runWell(engine, apply(twoHosts, { check: true }));
    expect(preview.plan.some(({ expected }) => expected)).toBe(true);
    expect(await remainsOf(INFRA)).toEqual([]);
    const first = await runWell(engine, apply(twoHosts));
    expect(first.services.map(({ server, taskserv, healthy }) => `${server}/${taskserv} ${healthy}`)).toEqual([
      'a/firewall true',
      'a/redis true',
      'b/redis true',
    ]);
    expect(await a('redis-cli ping')).toBe('PONG');
    expect(await a('nft list ruleset')).toContain('hook input');
    for (const server of ['a', 'b']) expect(await containersOf(INFRA, server)).toHaveLength(1);
    expect((await runWell(engine, apply(twoHosts))).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('drift is repaired by exactly the steps that the preview names', async () => {
    await a(`systemctl stop redis-server; echo '# by hand' >>${CONF}`);
    const preview = await runWell(engine, apply(twoHosts, { check: true }));
    expect(titles(preview)).toEqual([`a: Write ${CONF}`, 'a: Start redis-server']);
    const repaired = await runWell(engine, apply(twoHosts));
    expect(titles(repaired)).toEqual(titles(preview));
    expect(repaired.steps.executed).toBe(2);
    expect(await a(`grep -c '^# by hand' ${CONF} || true`)).toBe('0');
    expect(await a('redis-cli ping')).toBe('PONG');
    expect((await runWell(engine, apply(twoHosts))).steps.executed).toBe(0);
  });

  test('a rollback on a host that was there brings back the former file and takes away what was installed', async () => {
    const before = await a(`cat ${CONF}; dpkg-query -W -f '\${Package} \${db:Status-Abbrev}\\n' | grep 'ii'`);
    // Another process's server holds redis's new port.
    await a('redis-server --port 6390 --daemonize yes --dir /tmp --save ""');
    const other = define(
      [{ name: 'a' }, { name: 'b' }],
      ['node-exporter', { name: 'redis', config: { port: 6390 } }, { name: 'firewall', on: { server: 'a' } }],
    );
    const failed = await run(engine, apply(other, { onFailure: 'rollback' }));
    expect([failed.status, exitCodeOf(failed), failed.left]).toEqual(['rolled-back', 1, []]);
    expect(failed.error?.on).toBe('a/redis');
    expect(await a(`cat ${CONF}; dpkg-query -W -f '\${Package} \${db:Status-Abbrev}\\n' | grep 'ii'`)).toBe(before);
    expect(await a('redis-cli -p 6379 ping; systemctl is-active redis-server')).toBe('PONG\nactive');
    await a('redis-cli -p 6390 shutdown nosave || true');
    expect((await runWell(engine, apply(twoHosts))).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('kill -9 of the worker while packages are installed: every package once, every step once, one container', async () => {
    const more = define(
      [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      ['redis', { name: 'firewall', on: { server: 'a' } }, { name: 'nginx', on: { server: 'c' } }],
    );
    const operation = await submit(engine, apply(more));
    const c = shellOf(INFRA, 'c');
    await eventually(
      async () => expect(await c(`grep -rlx 'start 0' /var/lib/provisioning/operations/${operation} --include=steps`)).not.toBe(''),
      120_000,
    );
    await engine.killWorker();
    await sleep(500);
    await engine.up();
    const result = await (await client()).operations.result({ operation });
    expect([result.status, result.error]).toEqual(['done', undefined]);
    const installs = await installsOf(c);
    expect(installs).toMatchObject({ 'redis-server': 1, nginx: 1 });
    expect(Object.values(installs).every((count) => count === 1)).toBe(true);
    for (const server of ['a', 'b', 'c']) {
      expect(await repeatedSteps(shellOf(INFRA, server))).toEqual([]);
      expect(await containersOf(INFRA, server)).toHaveLength(1);
    }
    expect(result.services.every(({ healthy }) => healthy)).toBe(true);
    expect((await runWell(engine, apply(more))).steps.executed).toBe(0);
    await runWell(engine, apply(twoHosts, { allowDestroy: ['c'] }));
    expect(await containersOf(INFRA, 'c')).toEqual([]);
  });

  test('a changed host key is refused, with what was expected and what is shown', async () => {
    await a(
      'cp -a /etc/ssh /root/ssh.kept; rm /etc/ssh/ssh_host_ed25519_key*; ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/ssh_host_ed25519_key; pkill -x sshd || true; systemctl restart ssh',
    );
    const refused = await run(engine, apply(twoHosts));
    expect([refused.error?.code, exitCodeOf(refused)]).toEqual(['host-key-changed', 2]);
    expect(refused.error?.why).toMatch(/expected SHA256:\S+, the host shows SHA256:/);
    await a('cp -a /root/ssh.kept/ssh_host_ed25519_key* /etc/ssh/; pkill -x sshd || true; systemctl restart ssh');
    await runWell(engine, apply(twoHosts));
  });

  test('delete leaves no container, no network, no key and no inventory', async () => {
    await runWell(engine, { infra: INFRA, intent: { verb: 'delete' }, allowDestroy: true, timing });
    expect(await remainsOf(INFRA)).toEqual([]);
    expect(await (await client()).infras.inventory({ workspace: 'default', infra: INFRA })).toBeUndefined();
    await eventually(async () => expect(await (await client()).infras.list({ workspace: 'default' })).toEqual([]));
    await eventually(async () => expect(existsSync(join(engine.home.keys, 'default', INFRA))).toBe(false));
  });

  test('a health check that fails asks, and after "rollback" nothing is left', async () => {
    const taskservs = [
      { name: 'haproxy', on: { server: 'a' }, config: { healthPath: '/no-such-page' } },
      { name: 'nginx', on: { server: 'b' } },
    ];
    const definition = define([{ name: 'a' }, { name: 'b' }], taskservs);
    const operation = await submit(engine, apply(definition, { onFailure: 'ask', timing: { ...timing, healthMs: 2_000 } }));
    const waiting = await untilStatus(engine, operation, 'waiting');
    expect(waiting.waiting).toMatch(
      /^Check the health failed on a\/haproxy: haproxy passes requests on: .*Retry, skip, keep or roll back\?$/,
    );
    expect(await containersOf(INFRA, 'a')).toHaveLength(1);
    await (await client()).operations.decide({ operation, decision: 'rollback' });
    const result = await (await client()).operations.result({ operation });
    expect([result.status, exitCodeOf(result), result.left]).toEqual(['rolled-back', 1, []]);
    expect(await remainsOf(INFRA)).toEqual([]);
    expect(await (await client()).infras.inventory({ workspace: 'default', infra: INFRA })).toBeUndefined();
  });
});
