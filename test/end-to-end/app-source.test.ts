import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, describe, expect, test } from 'vitest';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { type LoadReport, steadyLoad } from '../support/load.js';
import { type TestWorkspace, workspaceOf } from '../support/workspace.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `app-source-${process.pid}`;
// Each asks the database: few enough that a busy machine is not what fails.
const PER_SECOND = 20;
const APPLICATION = join(import.meta.dirname, 'shop');

const DEFINITION = `infra: ${INFRA}
provider: local
servers:
  - { name: lb }
  - { name: db }
  - { name: shop, count: 2 }
taskservs:
  - name: postgres
    on: { server: db }
    config:
      allow: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16]
      users: [{ name: shop, password: { generate: password, name: shop-db } }]
      databases: [{ name: shop, owner: shop }]
  - name: haproxy
    on: { server: lb }
    config: { backend: { taskserv: app }, healthPath: /healthz }
  - name: app
    on: { role: shop }
    config:
      name: shop
      source: { git: ./shop.git, ref: main }
      build:
        run: [sh build.sh]
        env: { BUILD_TOKEN: { generate: password, name: build-token } }
        output: dist
      migrate: node migrate.js
      processes: { web: { command: node server.js } }
      packages: [nodejs, node-pg]
      env: { PGHOST: db, PGUSER: shop, PGDATABASE: shop, PGPASSWORD: { generate: password, name: shop-db } }
      port: 8080
      health: /healthz
    update: { batch: 1 }
`;

describe.skipIf(why)('a Node application with a database, from Git, on two hosts behind haproxy, under load', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'app-source-'));
  const git = (...args: string[]) => execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' }).trim();
  const hosts = ['shop-1', 'shop-2'].map((name) => shellOf(INFRA, name));
  let workspace: TestWorkspace;
  let url = '';

  /** Commits a release, which says its number, and pushes it. */
  function release(number: string, files: Record<string, string> = {}): void {
    git('rm', '-q', '--ignore-unmatch', 'sick', 'broken');
    for (const [path, text] of Object.entries({ number, ...files })) writeFileSync(join(checkout, path), text);
    git('add', '-A');
    git('commit', '-qm', `Release ${number}`);
    git('push', '-q', 'origin', 'HEAD:main');
  }
  const apply = (...more: string[]) =>
    workspace.run('apply', 'shop.yaml', '--on-failure', 'rollback', ...(more.length > 0 ? more : ['--yes']));
  const runningOn = () => Promise.all(hosts.map((host) => host('curl -fsS http://$(hostname):8080/')));

  withHostEngine(INFRA, async (engine) => {
    const env = { ...engine.env, PROVISIONING_TIMEOUTS_HEALTH: '15' };
    workspace = await workspaceOf({ ...engine, env }, { 'shop.yaml': DEFINITION });
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(workspace.root, 'shop.git')]);
    cpSync(APPLICATION, checkout, { recursive: true });
    mkdirSync(checkout, { recursive: true });
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'a test');
    git('config', 'user.email', 'test@example.org');
    git('remote', 'add', 'origin', join(workspace.root, 'shop.git'));
    release('1');
    const { code, stdout, stderr } = await apply();
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    const [id = ''] = await containersOf(INFRA, 'lb');
    const { NetworkSettings } = await new Docker().getContainer(id).inspect();
    url = `http://${Object.values(NetworkSettings.Networks)[0]?.IPAddress}/`;
  });
  afterAll(async () => {
    rmSync(checkout, { recursive: true });
    await workspace?.remove();
  });

  /** Does something under load, while answers are those of these releases. */
  async function underLoad<T>(releases: string[], work: () => Promise<T>): Promise<T> {
    const load = steadyLoad(url, PER_SECOND, () => releases);
    const began = Date.now();
    const result = await work();
    const report: LoadReport = await load.stop();
    if (Object.keys(report.failed).length > 0) console.log(JSON.stringify(report), result);
    console.log(`${releases.join(' to ')}: ${report.sent} requests, ${Date.now() - began} ms, slowest ${report.slowestMs} ms`);
    expect([report.failed, report.wrong, report.ok]).toEqual([{}, 0, report.sent]);
    return result;
  }

  test('releases take the place of each other; what fails changes nothing, and no request fails', async () => {
    let serving = '1';
    for (const [number, files, said] of [
      ['2', {}],
      ['3', { sick: '' }, 'healthz'],
      ['4', { broken: '' }, 'the migration failed'],
      ['5', {}],
    ] as [string, Record<string, string>, string?][]) {
      release(number, files);
      const { code, stdout, stderr } = await underLoad(said ? [serving] : [serving, number], () => apply());
      if (said) expect([code === 0, stdout + stderr]).toEqual([false, expect.stringContaining(said)]);
      else {
        expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
        serving = number;
      }
      expect(await runningOn()).toEqual([serving, serving]);
    }
    const again = await apply('--check');
    expect(again.stdout).toContain('nothing to do');
  });

  test('a command rolls it back to the release before, as any change, and others look into it', async () => {
    const { releases } = await workspace.json('app', 'releases', 'shop');
    const on = (server: string) => releases.filter((one: { server: string }) => one.server === server);
    expect(on('shop-1').map(({ since }: { since?: string }) => since !== undefined)).toEqual([true, false, false]);
    const before = on('shop-1')[1].release;

    const exec = await workspace.run('app', 'exec', 'shop', '--', 'id -un; echo "$RELEASE"; cat number');
    expect(exec.stdout.trim().split('\n')).toEqual(['app-shop', on('shop-1')[0].release, '5']);

    const back = await underLoad(['5', '2'], () => workspace.run('app', 'rollback', 'shop', '--yes'));
    expect([back.code, back.code === 0 ? '' : back.stdout + back.stderr]).toEqual([0, '']);
    expect(back.stdout).toContain(`to the release ${before}`);
    expect(back.stdout).not.toContain('Migrate');
    expect(await runningOn()).toEqual(['2', '2']);

    const logs = await workspace.run('app', 'logs', 'shop', '--lines', '50');
    for (const host of ['shop-1', 'shop-2']) expect(logs.stdout).toMatch(new RegExp(`^${host} .*Started app-shop-web`, 'm'));
  });
});
