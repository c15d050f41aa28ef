import { describe, expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, haveImage, installsOf, remainsOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { run, runWell } from '../support/operations.js';

// Uses the users' image: libraries that a removal leaves are visible only on a host without them.
const why = await whyNoHosts('plain');
if (why) console.warn(`left out: ${why}`);

const INFRA = `back-${process.pid}`;
const CONF = '/etc/nginx/conf.d/provisioning.conf';

describe.skipIf(why)('a rollback in the middle of a cluster deployment', () => {
  let engine: TestEngine;
  const a = shellOf(INFRA, 'a');
  const timing = { healthMs: 2_000, heartbeatMs: 5_000, retryMs: 200 };
  /** Returns everything of a file but its times: content, owner, mode. */
  const file = (path: string) => a(`stat -c '%U:%G %a' ${path}; sha256sum <${path}`);
  const packages = () => a(`dpkg-query -W -f '\${Package} \${Version} \${db:Status-Abbrev}\\n' | grep ' ii'`);

  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  test('a replaced file comes back byte by byte, also one edited by hand; package, server and network go', async () => {
    const before = definitionOf({ infra: INFRA, provider: 'local', servers: [{ name: 'a' }], taskservs: ['nginx'] });
    await runWell(engine, { infra: INFRA, definition: before, timing: { ...timing, healthMs: 20_000 } });
    await a(`printf '# by hand, without a line end' >>${CONF}; chmod 600 ${CONF}`);
    const kept = { file: await file(CONF), packages: await packages(), remains: (await remainsOf(INFRA)).sort() };

    // The balancer comes last and fails, because nginx does not have the page of its health check.
    const after = definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'a' }, { name: 'b', network: `${INFRA}-two` }],
      taskservs: [
        { name: 'nginx', config: { statusPath: '/another-status' } },
        { name: 'haproxy', on: { server: 'a' }, config: { port: 8081, healthPath: '/no-such-page' } },
      ],
    });
    const failed = await run(engine, { infra: INFRA, definition: after, onFailure: 'rollback', timing });
    expect([failed.status, failed.left]).toEqual(['rolled-back', []]);
    expect(failed.error?.on).toBe('a/haproxy');

    const { cells } = await (await engine.client()).operations.progress({ operation: failed.operation });
    const states = cells.map(({ server, taskserv, state }) => `${server}${taskserv ? `/${taskserv}` : ''} ${state}`).sort();
    expect(states).toEqual(expect.arrayContaining(['a/haproxy undone', 'a/nginx undone', 'b undone']));
    expect((await installsOf(a)).haproxy).toBe(1);
    // The former content of the file is not stored in plain text.
    expect(await a(`cd /var/lib/provisioning/operations/${failed.operation}/nginx/1 && ls former && cat steps`)).not.toContain(
      '.file',
    );

    expect(await file(CONF)).toBe(kept.file);
    expect(await a(`tail -n 1 ${CONF}`)).toBe('# by hand, without a line end');
    expect(await packages()).toBe(kept.packages);
    expect(await a('systemctl is-active nginx; : </dev/tcp/127.0.0.1/80')).toBe('active');
    expect((await remainsOf(INFRA)).sort()).toEqual(kept.remains);
    expect(await containersOf(INFRA, 'b')).toEqual([]);
    const inventory = await (await engine.client()).infras.inventory({ workspace: 'default', infra: INFRA });
    expect([Object.keys(inventory?.servers ?? {}), inventory?.definition]).toEqual([['a'], before]);
    expect(Object.keys(inventory?.servers.a?.services ?? {})).toEqual(['nginx']);
  });

  // systemd of Debian 12 forgets the failures when it reloads its units, systemd of Debian 13 does not.
  test('a service runs again with its former files, also if systemd refuses a start since it ended too often', async () => {
    await haveImage('debian-13');
    const define = (persistence: string) =>
      definitionOf({
        infra: INFRA,
        provider: 'local',
        servers: [
          { name: 'a', taskservs: ['nginx'] },
          { name: 'c', image: 'debian-13', taskservs: [{ name: 'redis', config: { persistence } }] },
        ],
      });
    await runWell(engine, { infra: INFRA, definition: define('snapshot'), timing: { ...timing, healthMs: 20_000 } });
    const c = shellOf(INFRA, 'c');
    // With the new file it ends at each start, and systemd allows one start an hour. As root: redis may run no shell.
    const folder = '/etc/systemd/system/redis-server.service.d';
    const limits = '[Unit]\\nStartLimitBurst=1\\nStartLimitIntervalSec=1h\\n';
    const refuses = '[Service]\\nExecStartPre=+/bin/sh -c "! grep -q ^appendonly.yes /etc/redis/redis.conf"\\n';
    await c(`mkdir -p ${folder}; printf '${limits}${refuses}' >${folder}/limits.conf; systemctl daemon-reload`);

    const failed = await run(engine, { infra: INFRA, definition: define('append-only'), onFailure: 'rollback', timing });
    expect([failed.status, failed.left]).toEqual(['rolled-back', []]);
    expect(await c('journalctl -o cat -u redis-server')).toContain('Start request repeated too quickly');
    expect(await c('systemctl is-active redis-server; redis-cli ping')).toBe('active\nPONG');
  });
});
