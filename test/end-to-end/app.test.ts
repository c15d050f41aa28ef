import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { type LoadReport, steadyLoad } from '../support/load.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `app-${process.pid}`;
const PER_SECOND = 100;
const timing = { healthMs: 15_000, heartbeatMs: 10_000, retryMs: 200 };

/** Answers with its release; a release with a file `sick` is not healthy. */
const SERVER = `import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Answer(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        body = os.environ['RELEASE'].encode()
        self.send_response(500 if self.path == '/healthz' and os.path.exists('sick') else 200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Answer).serve_forever()
`;

describe.skipIf(why)('an application of its own on two hosts behind haproxy, under load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'app-'));
  const archives = new Map<string, Buffer>();
  let engine: TestEngine;
  let artifacts: Server;
  let base = '';
  let url = '';

  /** Builds a release as an archive on the artifact server. */
  function build(release: string, sick = false): void {
    const source = join(folder, `shop-${release}`);
    mkdirSync(source);
    writeFileSync(join(source, 'server.py'), SERVER);
    writeFileSync(join(source, 'release'), release);
    if (sick) writeFileSync(join(source, 'sick'), '');
    execFileSync('tar', ['-czf', `${source}.tar.gz`, '-C', folder, `shop-${release}`]);
    archives.set(`/shop-${release}.tar.gz`, readFileSync(`${source}.tar.gz`));
  }

  const sha256 = (release: string) =>
    createHash('sha256')
      .update(archives.get(`/shop-${release}.tar.gz`) ?? '')
      .digest('hex');

  const configOf = (release: string, port: number, hash = sha256(release)) => ({
    ...{ release, artifact: { url: `${base}/shop-${release}.tar.gz`, sha256: hash, strip: 1 }, packages: ['python3'], keep: 1 },
    ...{ processes: { web: { command: 'python3 server.py' } }, port, health: '/healthz' },
  });

  /** @param more a wrong hash, another name of the taskserv, and the release of a second application */
  const define = (release?: string, { hash, name = 'app', admin }: { hash?: string; name?: string; admin?: string } = {}) => {
    const entry = { on: { role: 'shop' }, update: { batch: 1 } };
    return definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'lb' }, { name: 'shop', count: 2 }],
      taskservs: release
        ? [
            { name: 'haproxy', on: { server: 'lb' }, config: { backend: { taskserv: name }, healthPath: '/healthz' } },
            { ...entry, name, config: { name: 'shop', ...configOf(release, 8080, hash) } },
            ...(admin ? [{ ...entry, name: 'app@admin', config: configOf(admin, 8081) }] : []),
          ]
        : [],
    });
  };
  /** Both applications on one server, which is the first server of the others. */
  const together = (release: string) =>
    definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'lb' }, { name: 'shop', count: 2 }],
      taskservs: [
        { name: 'haproxy', on: { server: 'shop-1' }, config: { healthPath: '/healthz', backend: { taskserv: 'app' } } },
        { name: 'app', on: { server: 'shop-1' }, config: { name: 'shop', ...configOf(release, 8080) } },
      ],
    });
  const request = (definition: ReturnType<typeof define>) => ({ infra: INFRA, definition, timing, onFailure: 'rollback' as const });
  const hosts = ['shop-1', 'shop-2'].map((name) => shellOf(INFRA, name));
  const releasesOn = async () =>
    (await Promise.all(hosts.map((host) => host('ls /opt/app-shop')))).map((text) => text.split('\n').filter(Boolean));

  withHostEngine(INFRA, async (started) => {
    engine = started;
    await runWell(engine, request(define()));
    const [id = ''] = await containersOf(INFRA, 'lb');
    const { NetworkSettings } = await new Docker().getContainer(id).inspect();
    const [network] = Object.values(NetworkSettings.Networks);
    url = `http://${network?.IPAddress}/`;
    artifacts = createServer((asked, response) => {
      const archive = archives.get(asked.url ?? '');
      if (archive) response.end(archive);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => artifacts.listen(0, network?.Gateway, resolve));
    base = `http://${network?.Gateway}:${(artifacts.address() as AddressInfo).port}`;
    build('1');
    await runWell(engine, request(define('1')));
  });
  afterAll(() => {
    artifacts?.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs a function under load, while answers must come from these releases. */
  async function underLoad<T>(releases: string[], work: () => Promise<T>): Promise<{ result: T; report: LoadReport }> {
    const load = steadyLoad(url, PER_SECOND, () => releases);
    const result = await work();
    const report = await load.stop();
    console.log(`${report.sent} requests, ${JSON.stringify(report.failed)} failed, ${report.wrong} wrong`);
    return { result, report };
  }

  test('each release takes the place of the former one, and no request fails', async () => {
    for (const [former, release] of [
      ['1', '2'],
      ['2', '3'],
    ] as const) {
      build(release);
      const { report } = await underLoad([former, release], () => runWell(engine, request(define(release))));
      expect([report.failed, report.wrong, report.ok]).toEqual([{}, 0, report.sent]);
      expect(await (await fetch(url)).text()).toBe(release);
    }
    // The former release stays, because of `keep`.
    expect(await releasesOn()).toEqual([
      ['2', '3'],
      ['2', '3'],
    ]);
    expect((await runWell(engine, request(define('3')))).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('one that is not healthy is rolled back, and the former one goes on serving', async () => {
    build('4', true);
    const { result, report } = await underLoad(['3'], () => run(engine, request(define('4'))));
    expect([result.status, result.left]).toEqual(['rolled-back', []]);
    expect([report.failed, report.wrong, report.ok]).toEqual([{}, 0, report.sent]);
    // Release 2 was removed for release 4, and was restored unchanged by the roll-back.
    for (const host of hosts) expect(await host('cat /opt/app-shop/2/release')).toBe('2');
    expect(await releasesOn()).toEqual([
      ['2', '3'],
      ['2', '3'],
    ]);
  });

  test('one that is not what its hash says changes nothing', async () => {
    build('5');
    const result = await run(engine, request(define('5', { hash: '0'.repeat(64) })));
    expect([result.status, result.left]).toEqual(['rolled-back', []]);
    expect(result.error?.why).toContain(`the SHA-256 is ${sha256('5')}, and ${'0'.repeat(64)} is wanted`);
    expect(await (await fetch(url)).text()).toBe('3');
  });

  describe('with another one beside it on the same hosts', () => {
    /** Returns the process of a unit on each host, which changes at a restart, and its answer. */
    const stateOf = (unit: string, port: number) =>
      Promise.all(
        hosts.map(async (host) => {
          const ask = `exec 3<>/dev/tcp/$(hostname)/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; tail -n 1 <&3`;
          return { process: (await host(`systemctl show -P MainPID ${unit}`)).trim(), release: await host(ask) };
        }),
      );
    const releasesOf = async (unit: string, port: number) => (await stateOf(unit, port)).map(({ release }) => release);

    test('each has its own releases, and what becomes of one is nothing to the other', async () => {
      await runWell(engine, request(define('3', { admin: '1' })));
      const shop = await stateOf('app-shop-web', 8080);
      expect(await releasesOf('app-admin-web', 8081)).toEqual(['1', '1']);
      expect((await runWell(engine, request(define('3', { admin: '1' })))).steps).toEqual({ executed: 0, planned: 0 });

      await runWell(engine, request(define('3', { admin: '2' })));
      expect(await releasesOf('app-admin-web', 8081)).toEqual(['2', '2']);
      const sick = await run(engine, request(define('3', { admin: '4' })));
      expect([sick.status, sick.left]).toEqual(['rolled-back', []]);
      // A roll-back starts the former process and does not wait until it listens.
      await eventually(async () => expect(await releasesOf('app-admin-web', 8081)).toEqual(['2', '2']));

      const { code, stdout } = await provisioning(engine, ['app', 'releases', 'admin', '--infra', INFRA, '--json']);
      const running = JSON.parse(stdout).releases.filter((one: { since?: string }) => one.since);
      expect([code, running.map((one: { release: string }) => one.release)]).toEqual([0, ['2', '2']]);

      await runWell(engine, request(define('3')));
      for (const host of hosts) expect(await host('ls -d /opt/app-* /etc/systemd/system/app-*')).not.toContain('admin');
      expect(await stateOf('app-shop-web', 8080)).toEqual(shop);
    });

    test('one becomes one of several by its name', async () => {
      await runWell(engine, request(define('3', { name: 'app@shop', admin: '2' })));
      expect(await releasesOf('app-shop-web', 8080)).toEqual(['3', '3']);
      expect(await releasesOf('app-admin-web', 8081)).toEqual(['2', '2']);
      expect(await (await fetch(url)).text()).toBe('3');
      expect((await runWell(engine, request(define('3', { name: 'app@shop', admin: '2' })))).steps.planned).toBe(0);
    });
  });

  test('it answers by a haproxy of its own server, and by that alone', async () => {
    await runWell(engine, request(define('3')));
    await runWell(engine, request(together('3')));
    const [first = ''] = await containersOf(INFRA, 'shop-1');
    const [network] = Object.values((await new Docker().getContainer(first).inspect()).NetworkSettings.Networks);
    const answer = await fetch(`http://${network?.IPAddress}/`);
    expect([answer.status, await answer.text()]).toEqual([200, '3']);
    expect(await hosts[0]?.('grep -o "server shop-.*" /etc/haproxy/haproxy.cfg')).toBe('server shop-1-app shop-1:8080');
    expect((await runWell(engine, request(together('3')))).steps).toEqual({ executed: 0, planned: 0 });
  });
});
