import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, describe, expect, test } from 'vitest';
import { makeAuthority, rootOf } from '../support/authority.js';
import { startCommand } from '../support/command-line.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { type LoadReport, steadyLoad } from '../support/load.js';
import { eventually } from '../support/operations.js';
import { type TestWorkspace, workspaceOf } from '../support/workspace.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `app-source-${process.pid}`;
// Each request queries the database. The rate is low enough that a busy machine causes no failures.
const PER_SECOND = 20;
const APPLICATION = join(import.meta.dirname, 'shop');

const NAME = 'www.example.org';

/** Number and files of a release, and the expected error if it does not replace the former release. */
type Release = [number: string, files: Record<string, string>, said?: string];
const SICK: [Record<string, string>, string] = [{ sick: '' }, 'healthz'];
const BROKEN: [Record<string, string>, string] = [{ broken: '' }, 'the migration failed'];
/**
 * LONG=1 has ten releases: the fifth is unhealthy and the eighth has a failing migration. It takes a quarter of an
 * hour.
 */
const RELEASES: Release[] = process.env.LONG
  ? Array.from({ length: 10 }, (_, at): Release => [`${at + 1}`, ...(at === 4 ? SICK : at === 7 ? BROKEN : ([{}] as const))])
  : [
      ['1', ...SICK],
      ['2', ...BROKEN],
      ['3', {}],
    ];

/** A name server and a certificate authority, on a server of the infra that is created first. */
const BESIDE = `infra: ${INFRA}
provider: local
servers:
  - { name: lb }
  - { name: b }
  - { name: db }
  - { name: shop, count: 2 }
`;

/** @param domain line with the names of the application */
const definitionWith = (authority: string, domain = `domain: ${NAME}`) => `${BESIDE}domains:
  example.org:
    dns: { server: "b:53", key: acme, tsigSecret: { secret: tsig } }
    acme:
      email: ops@example.org
      directory: https://b:14000/dir
      authority: ${JSON.stringify(authority)}
taskservs:
  - name: postgres
    on: { server: db }
    config:
      allow: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16]
      users: [{ name: shop, password: { generate: password, name: shop-db } }]
      databases: [{ name: shop, owner: shop }]
  - name: haproxy
    on: { server: lb }
    public: [http${domain && ', https'}]
    config: { healthPath: /healthz }
  - name: app
    on: { role: shop }
    ${domain}
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

/** The two last releases that must serve, in order. */
const [before = '', last = ''] = ['0', ...RELEASES.flatMap(([number, , said]) => (said ? [] : [number]))].slice(-2);

describe.skipIf(why)('a Node application and its database, from Git, on two hosts behind haproxy, by its name and TLS', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'app-source-'));
  const git = (...args: string[]) => execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' }).trim();
  const hosts = ['shop-1', 'shop-2'].map((name) => shellOf(INFRA, name));
  let engine: TestEngine;
  let workspace: TestWorkspace;
  let authority = '';
  let url = '';
  let ca = '';
  const beside = shellOf(INFRA, 'b');
  const resolved = (name: string) => beside(`dig +short @127.0.0.1 ${name} A`);

  /** Commits and pushes a release that answers with its number. */
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

  withHostEngine(INFRA, async (started) => {
    engine = started;
    const env = { ...engine.env, PROVISIONING_TIMEOUTS_HEALTH: '15' };
    workspace = await workspaceOf({ ...engine, env }, { 'shop.yaml': BESIDE });
    const applied = async () => {
      const { code, stdout, stderr } = await apply();
      expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    };
    await applied();
    authority = await makeAuthority(engine, INFRA);
    await workspace.write('shop.yaml', definitionWith(authority));
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(workspace.root, 'shop.git')]);
    cpSync(APPLICATION, checkout, { recursive: true });
    mkdirSync(checkout, { recursive: true });
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'a test');
    git('config', 'user.email', 'test@example.org');
    git('remote', 'add', 'origin', join(workspace.root, 'shop.git'));
    release('0');
    await applied();
    // Clients that resolve the name at the name server reach this address. They trust only this authority.
    ca = await rootOf(beside);
    const [id = ''] = await containersOf(INFRA, 'lb');
    const { NetworkSettings } = await new Docker().getContainer(id).inspect();
    const address = Object.values(NetworkSettings.Networks)[0]?.IPAddress;
    url = `https://${address}/`;
    await beside('apt-get install -y -qq bind9-dnsutils >/dev/null 2>&1');
    expect(await resolved(NAME)).toBe(address);
  });
  afterAll(async () => {
    rmSync(checkout, { recursive: true });
    await workspace?.remove();
  });

  /** Runs a function under load, while answers must come from these releases. */
  async function underLoad<T>(releases: string[], work: () => Promise<T>): Promise<T> {
    const load = steadyLoad(url, PER_SECOND, () => releases, { servername: NAME, ca });
    const began = Date.now();
    const result = await work();
    const report: LoadReport = await load.stop();
    if (Object.keys(report.failed).length > 0) console.log(JSON.stringify(report), result);
    console.log(`${releases.join(' to ')}: ${report.sent} requests, ${Date.now() - began} ms, slowest ${report.slowestMs} ms`);
    expect([report.failed, report.wrong, report.ok]).toEqual([{}, 0, report.sent]);
    return result;
  }

  test('releases take the place of each other; what fails changes nothing, and no request fails', async () => {
    let serving = '0';
    for (const [number, files, said] of RELEASES) {
      release(number, files);
      const { code, stdout, stderr } = await underLoad(said ? [serving] : [serving, number], () => apply());
      if (said) expect([code === 0, stdout + stderr]).toEqual([false, expect.stringContaining(said)]);
      else {
        expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
        serving = number;
      }
      expect(await runningOn()).toEqual([serving, serving]);
    }
    expect(serving).toBe(last);
    const again = await apply('--check');
    expect(again.stdout).toContain('nothing to do');
  });

  test('a command rolls it back to the release before, as any change, and others look into it', async () => {
    const { releases } = await workspace.json('app', 'releases', 'shop');
    const on = (server: string) => releases.filter((one: { server: string }) => one.server === server);
    const [newest, ...others] = on('shop-1').map(({ since }: { since?: string }) => since !== undefined);
    expect([newest, others.includes(true), others.length]).toEqual([true, false, process.env.LONG ? 2 : 1]);
    const former = on('shop-1')[1].release;

    const exec = await workspace.run('app', 'exec', 'shop', '--', 'id -un; echo "$RELEASE"; cat number');
    expect(exec.stdout.trim().split('\n')).toEqual(['app-shop', on('shop-1')[0].release, last]);

    const back = await underLoad([last, before], () => workspace.run('app', 'rollback', 'shop', '--yes'));
    expect([back.code, back.code === 0 ? '' : back.stdout + back.stderr]).toEqual([0, '']);
    expect(back.stdout).toContain(`to the release ${former}`);
    expect(back.stdout).not.toContain('Migrate');
    expect(await runningOn()).toEqual([before, before]);

    const logs = await workspace.run('app', 'logs', 'shop', '--lines', '50');
    for (const host of ['shop-1', 'shop-2']) expect(logs.stdout).toMatch(new RegExp(`^${host} .*Started app-shop-web`, 'm'));
  });

  test('logs that are followed come from all servers; whoever leaves them leaves nothing there', async () => {
    const count = (name: string) => Promise.all(hosts.map(async (host) => Number(await host(`pgrep -c '${name}' || true`))));
    const [logins, readers] = [await count('^sshd'), await count('^journalctl$')];
    expect(readers).toEqual([0, 0]);
    const following = startCommand(engine, ['app', 'logs', 'shop', '--follow', '--since', 'now']);
    await eventually(async () => expect(await count('^journalctl$')).toEqual([1, 1]));
    await Promise.all(hosts.map((host) => host('systemctl restart app-shop-web')));
    for (const name of ['shop-1', 'shop-2'])
      await eventually(async () => expect(following.stdout()).toMatch(new RegExp(`^${name} .*Started app-shop-web`, 'm')));
    following.kill();
    await following.ended;
    // No more lines are printed, so only the end of the connection can end it.
    await eventually(async () => expect([await count('^journalctl$'), await count('^sshd')]).toEqual([[0, 0], logins]));
  });

  test('a name more that is somebody else’s is refused, and the others stay; without a domain no name is left', async () => {
    const address = await resolved(NAME);
    await workspace.write('shop.yaml', definitionWith(authority, `domain: [${NAME}, blog.example.org, shop.example.org]`));
    const refused = await underLoad([before, last], () => apply());
    expect([refused.code === 0, refused.stdout + refused.stderr]).toEqual([
      false,
      expect.stringContaining('records exist that the platform did not create: A 192.0.2.9'),
    ]);
    expect([await resolved(NAME), await resolved('blog.example.org'), await resolved('shop.example.org')]).toEqual([
      address,
      '',
      '192.0.2.9',
    ]);

    await workspace.write('shop.yaml', definitionWith(authority, ''));
    const { code, stdout, stderr } = await apply();
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    expect([await resolved(NAME), await resolved('shop.example.org')]).toEqual(['', '192.0.2.9']);
    const [plain, secure] = ['http://lb/healthz', 'https://lb/healthz'].map((one) =>
      beside(`curl -sk -o /dev/null -w '%{http_code}' ${one} || true`),
    );
    // The route was removed with the name, and nothing else routes to the balancer's backends.
    expect([await plain, await secure]).toEqual(['503', '000']);
    expect((await apply('--check')).stdout).toContain('nothing to do');
  });
});
