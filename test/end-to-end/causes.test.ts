import { describe, expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { run, runWell } from '../support/operations.js';
import { healDisk, SICK_DISKS } from '../support/sick-disk.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `causes-${process.pid}`;

describe.skipIf(why)('what fails on a host says why', { timeout: 120_000 }, () => {
  let engine: TestEngine;
  const a = shellOf(INFRA, 'a');
  const services = ['redis', 'haproxy', { name: 'nginx', config: { port: 8081 } }, 'prometheus'];
  const definition = definitionOf({ infra: INFRA, provider: 'local', servers: [{ name: 'a' }], taskservs: services });
  const wish = { infra: INFRA, definition, onFailure: 'keep' as const, timing: { healthMs: 4_000, retryMs: 200 } };

  /** Returns the reason in the error of the next apply. */
  const whyNot = async (unit: string, breaking: string, repair: string): Promise<string> => {
    await a(`systemctl stop ${unit}; ${breaking}`);
    const { status, error } = await run(engine, wish);
    await a(`${repair}; systemctl daemon-reload; systemctl reset-failed; systemctl restart ${unit}`);
    expect(status).toBe('failed');
    expect(error?.why).not.toMatch(/Deactivated|Stopp(ing|ed) |Failed with result|Job for|systemctl status/);
    const parts = error?.why.split(' | ') ?? [];
    expect(new Set(parts).size).toBe(parts.length);
    return error?.why ?? '';
  };

  withHostEngine(INFRA, async (started) => {
    engine = started;
    await runWell(engine, wish);
  });

  test('a service, as its unit is masked', async () => {
    expect(await whyNot('haproxy', 'systemctl mask haproxy', 'systemctl unmask haproxy')).toBe('Unit haproxy.service is masked');
  });

  test('a service, as its port is taken, and by whom', async () => {
    const take = (port: number) => `(setsid redis-server --port ${port} --daemonize yes --dir /tmp --save '' >/dev/null)`;
    const leave = (port: number) => `redis-cli -p ${port} shutdown nosave || true`;
    expect(await whyNot('nginx', take(8081), leave(8081))).toMatch(
      /^nginx: \[emerg\] bind\(\) to 0\.0\.0\.0:8081 failed \(98: Address already in use\) \| port 8081 is held by redis-server \(pid \d+\)$/,
    );
  });

  test('a service, as its port is taken, which is in a log of its own alone', async () => {
    const perl = `use IO::Socket::INET; $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1:6379", ReuseAddr => 1) or die; sleep`;
    const take = `echo '${perl}' >/root/taker.pl; systemd-run -q --unit=taker perl /root/taker.pl; until ss -Hltn | grep -q ':6379 '; do sleep 0.2; done`;
    expect(await whyNot('redis-server', take, 'systemctl stop taker')).toMatch(
      /127\.0\.0\.1:6379: bind: Address already in use \| port 6379 is held by perl \(pid \d+\)$/,
    );
  });

  test('a service, as it refuses its configuration', async () => {
    const dropIn = '/etc/systemd/system/redis-server.service.d';
    const exec = 'ExecStart=/usr/bin/redis-server /etc/redis/redis.conf --supervised systemd --nonsense 3';
    const breaking = `mkdir -p ${dropIn}; printf '[Service]\\nExecStart=\\n${exec}\\n' >${dropIn}/test.conf; systemctl daemon-reload`;
    expect(await whyNot('redis-server', breaking, `rm -r ${dropIn}`)).toMatch(
      /^Bad directive or wrong number of arguments \| .* at line \d+ \| >>> 'nonsense "3"'$/,
    );
  });

  test('a service, as it ended after a good start', async () => {
    const dropIn = '/etc/systemd/system/prometheus.service.d';
    const exec = `ExecStart=/bin/sh -c "echo fatal: no disk >&2; exit 3"\\nRestart=no`;
    const breaking = `mkdir -p ${dropIn}; printf '[Service]\\nExecStart=\\n${exec}\\n' >${dropIn}/test.conf; systemctl daemon-reload`;
    expect(await whyNot('prometheus', breaking, `rm -r ${dropIn}`)).toMatch(
      /: prometheus\.service failed \(exit-code\): fatal: no disk$/,
    );
  });

  test.each(Object.entries(SICK_DISKS))(
    'a state folder with %s, at the first attempt; once it is healed all goes on',
    async (_, sick) => {
      await a(`systemctl stop redis-server; ${sick.begin}`);
      try {
        const { status, error } = await run(engine, wish);
        expect([status, error?.code, error?.exitCode]).toEqual(['failed', sick.code, 3]);
        expect(error?.why).toContain(sick.says);
        expect(error?.why).toContain('/var/lib/provisioning');
      } finally {
        await a(healDisk);
      }
      await runWell(engine, wish);
    },
  );
});
