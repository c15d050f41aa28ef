import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, describe, expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { type LoadReport, steadyLoad } from '../support/load.js';
import { run, runWell } from '../support/operations.js';

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

  /** Makes a release, as an archive on the server of artifacts. */
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

  const define = (release?: string, wrong?: { sha256: string }) => {
    const artifact = { url: `${base}/shop-${release}.tar.gz`, sha256: wrong?.sha256 ?? sha256(release ?? ''), strip: 1 };
    const config = {
      ...{ name: 'shop', release, artifact, packages: ['python3'], keep: 1 },
      ...{ processes: { web: { command: 'python3 server.py' } }, port: 8080, health: '/healthz' },
    };
    return definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'lb' }, { name: 'shop', count: 2 }],
      taskservs: release
        ? [
            { name: 'haproxy', on: { server: 'lb' }, config: { backend: { taskserv: 'app' }, healthPath: '/healthz' } },
            { name: 'app', on: { role: 'shop' }, config, update: { batch: 1 } },
          ]
        : [],
    });
  };
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

  /** Does something under load, while answers are those of these releases. */
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
    // The one before stays, as `keep` says.
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
    // Release 2 was removed for release 4, and came back with the roll-back, as it was.
    for (const host of hosts) expect(await host('cat /opt/app-shop/2/release')).toBe('2');
    expect(await releasesOn()).toEqual([
      ['2', '3'],
      ['2', '3'],
    ]);
  });

  test('one that is not what its hash says changes nothing', async () => {
    build('5');
    const result = await run(engine, request(define('5', { sha256: '0'.repeat(64) })));
    expect([result.status, result.left]).toEqual(['rolled-back', []]);
    expect(result.error?.why).toContain(`the SHA-256 is ${sha256('5')}, and ${'0'.repeat(64)} is wanted`);
    expect(await (await fetch(url)).text()).toBe('3');
  });
});
