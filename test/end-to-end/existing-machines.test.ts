import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { exitCodeOf } from '../../core/exit-codes.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { type Host, type Machines, startMachines } from '../support/machines.js';
import { run, runWell } from '../support/operations.js';

// Uses the users' image: libraries that a removal leaves are visible only on a host without them.
const why = await whyNoHosts('plain');
if (why) console.warn(`left out: ${why}`);

/** Machines made outside the platform. The platform under test gets only their connections. */
const MACHINES = `machines-${process.pid}`;
const timing = { healthMs: 20_000, heartbeatMs: 5_000, retryMs: 200, giveUpMs: 30_000 };

const PORT_OF_SSH = 22;

describe.skipIf(why)('machines that exist already', () => {
  let engine: TestEngine;
  let machines: Machines;
  const shell = (name: string) => shellOf(MACHINES, name);

  const host: Machines['host'] = (name, more) => machines.host(name, more);
  const define = (infra: string, where: Host, taskservs = ['redis']): Definition =>
    definitionOf({ infra, provider: 'local', servers: [{ name: 'box', host: where }], taskservs });
  const apply = (definition: Definition, more = {}) => ({
    infra: definition.infra,
    definition,
    onFailure: 'rollback' as const,
    timing,
    ...more,
  });
  const away = (infra: string) => ({ infra, intent: { verb: 'delete' as const }, allowDestroy: true, timing });

  withHostEngine(MACHINES, async (started) => {
    engine = started;
    machines = await startMachines(engine, MACHINES, ['one', 'two']);
    await shell('one')(`useradd -m -s /bin/bash deploy
      install -d -m 700 -o deploy -g deploy /home/deploy/.ssh
      install -m 600 -o deploy -g deploy /root/.ssh/authorized_keys /home/deploy/.ssh/authorized_keys
      useradd -m -s /bin/bash guest
      install -d -m 700 -o guest -g guest /home/guest/.ssh
      install -m 600 -o guest -g guest /root/.ssh/authorized_keys /home/guest/.ssh/authorized_keys
      echo 'deploy ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/deploy; chmod 440 /etc/sudoers.d/deploy`);
  });

  test('as a user with sudo: installed, nothing to do, cleaned of what was installed, left running', async () => {
    const definition = define('shop', host('one', { user: 'deploy' }));
    const before = await shell('one')(`dpkg-query -W -f '\${Package}\\n' | sort`);
    const first = await runWell(engine, apply(definition));
    expect(first.plan[0]?.title).toBe('Adopt the host box');
    // The host key was not declared.
    const fingerprint = (await shell('one')('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub')).split(' ')[1] ?? 'none';
    const text = `the key of this host was seen for the first time and is pinned: ${fingerprint}`;
    expect(first.notes).toEqual([{ on: 'box', text }]);
    const told = await provisioning(engine, ['workflow', 'status', first.operation]);
    const asJson = await provisioning(engine, ['workflow', 'status', first.operation, '--json']);
    expect([told.stdout, JSON.parse(asJson.stdout).notes]).toEqual([expect.stringContaining(`box: ${text}`), first.notes]);
    expect((await provisioning(engine, ['logs', first.operation])).stdout).toContain(fingerprint);
    expect((await runWell(engine, apply(definition))).notes).toBeUndefined();
    expect(await shell('one')('redis-cli ping; stat -c %a /var/lib/provisioning')).toBe('PONG\n700');
    expect((await runWell(engine, apply(definition))).steps).toEqual({ executed: 0, planned: 0 });

    const restart = await provisioning(engine, ['server', 'restart', 'box', '--infra', 'shop', '--yes', '--json']);
    expect([restart.code, JSON.parse(restart.stdout).error]).toMatchObject([2, { code: 'cannot-switch', on: 'box' }]);
    expect(await shell('one')('redis-cli ping')).toBe('PONG');

    const other = await run(engine, apply(define('blog', host('one'))));
    expect([other.error?.code, exitCodeOf(other)]).toEqual(['host-managed-by-another', 2]);
    expect(other.error?.why).toContain('infra "shop" of workspace "default"');
    expect(await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'blog' })).toBeUndefined();

    await runWell(engine, away('shop'));
    expect(await containersOf(MACHINES, 'one')).toHaveLength(1);
    expect(await shell('one')('ls -d /var/lib/provisioning /etc/redis/redis.conf 2>/dev/null || true')).toBe('');
    const after = (
      await shell('one')(`dpkg-query -W -f '\${Package} \${db:Status-Abbrev}\\n' | awk '$2=="ii"{print $1}' | sort`)
    ).split('\n');
    expect(after).not.toContain('redis-server');
    expect(before.split('\n').filter((name) => !after.includes(name))).toEqual([]);
    expect(await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' })).toBeUndefined();
  });

  test('a rollback lets go of the host and takes away what was installed', async () => {
    // Another process listens on its port.
    await shell('two')(
      `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalPort => 9100, Listen => 5) or die; fork and exit; sleep 1000'`,
    );
    const failed = await run(
      engine,
      apply(define('shop', host('two'), ['node-exporter']), { timing: { ...timing, healthMs: 3_000 } }),
    );
    expect([failed.status, failed.left]).toEqual(['rolled-back', []]);
    expect(failed.error?.on).toBe('box/node-exporter');
    expect(
      await shell('two')(`dpkg-query -W -f '\${db:Status-Abbrev}' prometheus-node-exporter 2>/dev/null | grep -c '^ii' || true`),
    ).toBe('0');
    expect(await shell('two')('ls -d /var/lib/provisioning 2>/dev/null || true')).toBe('');
    expect(await containersOf(MACHINES, 'two')).toHaveLength(1);
    expect(await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' })).toBeUndefined();
  });

  test('an account that exists keeps its home, shell, groups and keys, and logs in before, with and after users', async () => {
    await shell('two')(`useradd -m -d /srv/app -s /bin/sh -c 'The app' -G users app; chmod 711 /srv/app
      install -d -m 750 -o app -g app /srv/app/.ssh
      install -m 640 -o app -g app /root/.ssh/authorized_keys /srv/app/.ssh/authorized_keys`);
    const port = String(machines.doors.get('two')?.port);
    const ssh = ['-i', machines.identity, '-p', port, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
    const login = async () =>
      (await promisify(execFile)('ssh', [...ssh, '-o', 'BatchMode=yes', 'app@127.0.0.1', 'echo "$HOME $SHELL"; id -nG'])).stdout;
    const ACCOUNT = `getent passwd app; getent shadow app; stat -c '%n %a %U:%G' /srv/app /srv/app/.ssh /srv/app/.ssh/authorized_keys`;
    const before = [await login(), await shell('two')(ACCOUNT), await shell('two')('cat /srv/app/.ssh/authorized_keys')];
    expect(before[0]).toBe('/srv/app /bin/sh\napp users\n');

    const key = (await shell('one')('cat /root/.ssh/authorized_keys')).split('\n')[0]?.split(' ').slice(0, 2).join(' ') ?? '';
    const config = { users: [{ name: 'app', groups: ['adm'], authorizedKeys: [`${key} added`] }] };
    const definition = definitionOf({
      ...{ infra: 'people', provider: 'local' },
      servers: [{ name: 'box', host: host('two') }],
      taskservs: [{ name: 'users', config }],
    });
    await runWell(engine, apply(definition));
    expect(await shell('two')(ACCOUNT)).toBe(before[1]);
    expect(await shell('two')('cat /srv/app/.ssh/authorized_keys')).toContain(`${key} added`);
    expect(await login()).toBe('/srv/app /bin/sh\napp adm users\n');
    expect((await runWell(engine, apply(definition))).steps).toEqual({ executed: 0, planned: 0 });

    await runWell(engine, away('people'));
    expect([await shell('two')(ACCOUNT), await shell('two')('cat /srv/app/.ssh/authorized_keys')]).toEqual(before.slice(1));
    expect(await login()).toContain('/srv/app /bin/sh\n');
  });

  test('through a jump host', async () => {
    const address = (await shell('two')('hostname -I')).split(' ')[0] ?? '';
    const jump = `root@127.0.0.1:${machines.doors.get('one')?.port}`;
    const { identity } = machines;
    const definition = define('behind', { address, port: PORT_OF_SSH, user: 'root', identity, jump }, ['redis']);
    await runWell(engine, apply(definition));
    expect(await shell('two')('cat /var/lib/provisioning/owner')).toMatch(/ default behind$/);
    expect(await shell('one')('ls -d /var/lib/provisioning 2>/dev/null || true')).toBe('');
    await runWell(engine, away('behind'));
  });

  test.each([
    ['a wrong key', (): Partial<Host> => ({ identity: machines.stranger }), 'ssh-key-refused', 2],
    ['no key where it should be', (): Partial<Host> => ({ identity: '/nowhere/key' }), 'ssh-key-unreadable', 2],
    ['a user who may not become root', (): Partial<Host> => ({ user: 'guest' }), 'sudo-refused', 2],
    [
      'a host key other than the one written down',
      (): Partial<Host> => ({ hostKey: `ssh-ed25519 ${Buffer.from('not the key').toString('base64')}` }),
      'host-key-changed',
      2,
    ],
  ])('%s is one clear error, and leaves nothing', async (_, change, code, exitCode) => {
    const failed = await run(engine, apply(define('wrong', host('one', change()))));
    expect([failed.error?.code, exitCodeOf(failed)]).toEqual([code, exitCode]);
    expect(await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'wrong' })).toBeUndefined();
    expect(await shell('one')('ls -d /var/lib/provisioning 2>/dev/null || true')).toBe('');
  });

  test('a host that cannot be reached is told after the time allowed', async () => {
    const failed = await run(engine, apply(define('far', host('one', { port: 9 })), { timing: { ...timing, giveUpMs: 3_000 } }));
    // If the last attempt is still running when the time is over, Temporal reports only the time-out.
    expect(['host-unreachable', 'timed-out']).toContain(failed.error?.code);
    expect(exitCodeOf(failed)).toBe(3);
  });
});
