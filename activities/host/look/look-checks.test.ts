import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemd } from '../../../core/host/facts.js';
import { reveal } from '../../../core/taskserv/secret.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { makeAuthority, makeCertificate } from '../../../secrets/generate/certificates.js';
import { HOST_STATE } from '../paths.js';
import { verdict } from './health.js';
import { renderLook } from './look-script.js';
import { readsHash } from './look-services.js';
import { parseLook } from './parse-look.js';

/** Answers each path otherwise, by HTTP and by HTTPS, and says on standard output how it was asked. */
const SERVER = `const answer = (request, response) => {
  console.log(request.httpVersion + ' ' + request.url + ' ' + request.headers['user-agent']);
  const [, status] = /^\\/status\\/(\\d+)/.exec(request.url) ?? [];
  if (status) {
    const length = ['204', '304'].includes(status) ? '' : 'Content-Length: 0\\r\\n';
    // As some programs do, it keeps the connection behind an answer that has no body.
    return void response.socket.write('HTTP/1.1 ' + status + ' so\\r\\n' + length + '\\r\\n');
  }
  if (request.url === '/chunked') response.setHeader('Transfer-Encoding', 'chunked');
  if (request.url === '/pieces' || request.url === '/chunked') return void (response.write('in '), response.end('pieces'));
  const body = request.url === '/large' ? 'x'.repeat(200_000) + 'end' : request.url === '/empty' ? '' : 'well\\nand good';
  response.writeHead(request.url === '/moved' ? 302 : request.url === '/gone' ? 404 : 200, { 'Content-Length': body.length }).end(body);
};
const pair = require('node:fs').readFileSync(process.argv[1]);
const plain = require('node:http').createServer(answer);
const secure = require('node:https').createServer({ key: pair, cert: pair }, answer);
plain.listen(0, '127.0.0.1', () =>
  secure.listen(0, '127.0.0.1', () => console.log('ports ' + plain.address().port + ' ' + secure.address().port)))`;

const made = mkdtempSync(join(tmpdir(), 'checks-'));
let server: ChildProcess;
let [port, tlsPort]: [number, number] = [0, 0];
let asked = '';

beforeAll(async () => {
  const pair = join(made, 'pair.pem');
  writeFileSync(pair, makeCertificate(makeAuthority('another', 2), ['other.example.org'], 2), { mode: 0o600 });
  server = spawn(process.execPath, ['-e', SERVER, pair], { stdio: ['ignore', 'pipe', 'inherit'] });
  server.stdout?.on('data', (chunk) => {
    asked += chunk;
  });
  await once(server.stdout as NodeJS.ReadableStream, 'data');
  [port = 0, tlsPort = 0] = [...asked.matchAll(/\d+/g)].map(Number) as [number, number];
});
afterAll(() => {
  server.kill();
  rmSync(made, { recursive: true });
});

function looked(checks: HealthCheck[]) {
  const input = renderLook({ facts: [], health: checks }, (text) => reveal(text, () => ''));
  const { health } = parseLook({ facts: [], health: checks }, execFileSync('bash', ['-s'], { input, encoding: 'utf8' }));
  return checks.map((check, index) => verdict(check, health[index] ?? { exit: 1, stdout: '' }));
}

const at = (
  path: string,
  { host = '127.0.0.1', ...more }: { host?: string; status?: number; expect?: string } = {},
): HealthCheck => ({
  title: path,
  http: `http://${host}:${port}${path}`,
  ...more,
});

describe('a check over HTTP', () => {
  it('has the verdict that curl gives, which is asked where it takes that', async () => {
    const url = `http://127.0.0.1:${port}`;
    asked = '';
    expect(
      looked([
        at('/well', { expect: 'well\nand good' }),
        at('/gone', { status: 404 }),
        at('/moved', { status: 200 }),
        at('/empty', { expect: 'well' }),
        at('/pieces', { expect: 'in pieces' }),
        at('/large', { expect: 'xend' }),
        at('/large', { expect: 'other' }),
        at('/well?by=name&and', { expect: 'well', host: 'localhost' }),
        at('/chunked', { expect: 'in pieces' }),
        at('/in%20words;', { expect: 'well' }),
      ]),
    ).toEqual([
      undefined,
      undefined,
      `/moved: ${url}/moved answers 302, not 200: well`,
      `/empty: the answer lacks "well" (${url}/empty)`,
      undefined,
      undefined,
      `/large: the answer lacks "other" (${url}/large)`,
      undefined,
      undefined,
      undefined,
    ]);
    const askers = () =>
      [
        ...new Set(
          asked
            .trim()
            .split('\n')
            .map((line) => line.replace(/curl.*/, 'curl').replace('1.0', '1.x')),
        ),
      ].sort();
    await expect
      .poll(askers)
      .toEqual(
        [
          '1.1 /chunked curl',
          '1.1 /in%20words; curl',
          ...['/chunked', '/empty', '/gone', '/large', '/moved', '/pieces', '/well', '/well?by=name&and'].map(
            (path) => `1.x ${path} provisioning`,
          ),
        ].sort(),
      );
  });

  it('takes 2xx and 3xx for well, and only the status that is asked for', async () => {
    const url = (status: number) => `http://127.0.0.1:${port}/status/${status}`;
    const well = [200, 201, 204, 206, 301, 302, 304, 307, 308, 399];
    asked = '';
    expect(looked(well.map((status) => at(`/status/${status}`)))).toEqual(well.map(() => undefined));
    // None was waited for until curl had to ask.
    await expect.poll(() => asked.trim().split('\n')).toHaveLength(well.length);
    expect(looked([199, 400, 404, 429, 500, 503].map((status) => at(`/status/${status}`)))).toEqual(
      [199, 400, 404, 429, 500, 503].map((status) => `/status/${status}: ${url(status)} answers ${status}, not 2xx or 3xx`),
    );
    expect(looked(well.map((status) => at(`/status/${status}`, { status: 204 })))).toEqual(
      well.map((status) => (status === 204 ? undefined : `/status/${status}: ${url(status)} answers ${status}, not 204`)),
    );
  });

  it('asks by HTTPS too, whatever the certificate, and says why TLS fails', () => {
    const url = `https://127.0.0.1:${tlsPort}`;
    const check = (path: string): HealthCheck => ({ title: 'it serves', http: `${url}/status/${path}` });
    expect(looked(['200', '204', '301', '503'].map(check))).toEqual([
      ...[undefined, undefined, undefined],
      `it serves: ${url}/status/503 answers 503, not 2xx or 3xx`,
    ]);
    // The other port speaks no TLS.
    const plain = `https://127.0.0.1:${port}/`;
    expect(looked([{ title: 'it serves', http: plain }])).toEqual([
      expect.stringMatching(`^it serves: ${plain} does not answer: curl: \\(35\\) `),
    ]);
  });

  it('says where nothing answers', () => {
    const url = 'http://127.0.0.1:9/';
    expect(looked([{ title: 'it serves', http: url }])).toEqual([`it serves: ${url} does not answer`]);
  });
});

describe('what a service last started with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'services-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [one, other, strange, missing] = ['one', 'other', 'stran ge$(x)', 'missing'].map((name) => join(folder, name));
  const paths = (...some: (string | undefined)[]) => some.map(String);

  /** Whether the service is stale by a look in which the hash that was kept is `was`. */
  function isStale(reads: string[], was: string, others: string[] = [], change = (script: string) => script): unknown {
    const facts = [systemd('no-such-service', reads), ...(others.length > 0 ? [systemd('nor-this', others)] : [])];
    writeFileSync(join(folder, 'no-such-service'), `${was}\n`);
    const input = renderLook({ facts, health: [] }, String).replaceAll(`${HOST_STATE}/services`, folder);
    const { facts: answers } = parseLook(
      { facts, health: [] },
      execFileSync('bash', ['-s'], { input: change(input), encoding: 'utf8' }),
    );
    return (JSON.parse(answers[0]?.stdout ?? '{}') as { stale?: boolean }).stale;
  }
  const hashOf = (reads: string[]) =>
    execFileSync('bash', ['-c', `export LC_ALL=C; ${readsHash(reads)}`], { encoding: 'utf8' }).trim();

  it('is seen without asking about each service by itself', () => {
    const reads = paths(one, missing, other);
    for (const path of paths(one, other)) writeFileSync(path, `content of ${path}`);
    const alone = (script: string) => script.replaceAll('|| [ "$({ timeout', '|| false && [ "$({ timeout');
    expect(isStale(reads, hashOf(reads), paths(other), alone)).toBe(false);
    expect(isStale(reads, 'another', [], alone)).toBe(true);
  });

  it.each([
    ['two files', paths(one, other)],
    ['a file that is missing', paths(missing, one)],
    ['one file twice', paths(one, one)],
    ['a name that needs quoting', paths(one, strange)],
    ['a folder', paths(one, folder)],
    ['nothing that is there', paths(missing)],
  ])('is compared as it was written down: %s', (_, reads) => {
    for (const path of paths(one, other, strange)) writeFileSync(path, `content of ${path}`);
    const was = hashOf(reads);
    expect(isStale(reads, was)).toBe(false);
    expect(isStale(reads, was, paths(other))).toBe(false);
    writeFileSync(String(one), 'changed');
    expect(isStale(reads, was)).toBe(reads.includes(String(one)));
    expect(isStale(reads, 'another')).toBe(true);
  });
});
