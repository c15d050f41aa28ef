import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheOf } from '../../home/home.js';
import { dockerImage } from '../../providers/local/images.js';
import { local } from '../../providers/local/index.js';
import { whyNoHosts } from '../support/hosts.js';
import { eventually } from '../support/operations.js';

const PACKAGE = resolve(import.meta.dirname, '../..');
const LONG_MS = 90_000;
const why = await whyNoHosts('plain');
if (why) console.warn(`skipped: ${why}`);

describe.skipIf(why)('the service of a home, under a systemd of its own', () => {
  const name = `provisioning-service-${process.pid}`;
  const docker = (...args: string[]) => execa('docker', args, { reject: false });
  const inside = (...command: string[]) => docker('exec', name, ...command);
  const provisioning = (...args: string[]) => inside('node', '/opt/provisioning/bin/provisioning.js', ...args);
  let service: { unit: string; scope: string; active: string; enabled: boolean };
  const status = async () => JSON.parse((await provisioning('status', '--json')).stdout);

  beforeAll(async () => {
    const image = dockerImage(local.config.parse({}), 'debian-12');
    const { stdout: kind } = await execa('stat', ['-fc', '%T', '/sys/fs/cgroup']);
    const mounts = [
      `/sys/fs/cgroup:/sys/fs/cgroup:${kind === 'cgroup2fs' ? 'rw' : 'ro'}`,
      `${process.execPath}:/usr/bin/node:ro`,
      `${PACKAGE}:/opt/provisioning:ro`,
      `${join(cacheOf(), 'engine')}:/root/.cache/provisioning/engine:ro`,
    ];
    const rights = ['--cgroupns=host', '--cap-add', 'SYS_ADMIN', '--security-opt', 'apparmor=unconfined'];
    const places = ['--tmpfs', '/run', '--tmpfs', '/run/lock', ...mounts.flatMap((mount) => ['-v', mount])];
    const { stderr, exitCode } = await docker('run', '-d', '--name', name, ...rights, ...places, image, '/sbin/init');
    expect(exitCode, stderr).toBe(0);
    await eventually(async () => expect((await inside('systemctl', 'is-system-running')).stdout).toMatch(/running|degraded/));
    const installed = await provisioning('up', '--install-service', '--json');
    expect([installed.exitCode, installed.stderr]).toEqual([0, '']);
    const unit = JSON.parse(installed.stdout).service.split('/').at(-1);
    service = { unit, scope: 'system', active: 'active', enabled: true };
  }, 3 * LONG_MS);
  afterAll(() => docker('rm', '-f', '-v', name));

  test('starts engine and worker, after a reboot as well', { timeout: 2 * LONG_MS }, async () => {
    expect(await status()).toMatchObject({ state: 'running', problems: [], service });

    await docker('restart', '-t', '30', name);
    await eventually(async () => expect(await status()).toMatchObject({ state: 'running', problems: [], service }), LONG_MS);
  });

  test('is there again when its main process dies, and the worker goes on meanwhile', { timeout: 2 * LONG_MS }, async () => {
    const before = await status();
    await inside('kill', '-9', String(before.supervisor.pid));
    await eventually(async () => {
      const now = await status();
      expect(now.supervisor?.pid).not.toBe(before.supervisor.pid);
      expect(now).toMatchObject({ service: { active: 'active' }, worker: { pid: before.worker.pid }, problems: [] });
    }, LONG_MS);
  });

  test('is taken away with all that it ran', { timeout: LONG_MS }, async () => {
    expect((await provisioning('down', '--uninstall-service')).exitCode).toBe(0);
    expect(await status()).toEqual(expect.objectContaining({ state: 'stopped' }));
    expect((await status()).service).toBeUndefined();
    expect((await inside('pgrep', '-fc', 'engine serve|worker\\.c?js')).stdout).toBe('0');
  });
});
