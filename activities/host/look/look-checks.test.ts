import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemd } from '../../../core/host/facts.js';
import { reveal } from '../../../core/taskserv/secret.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { HOST_STATE } from '../paths.js';
import { verdict } from './health.js';
import { renderLook } from './look-script.js';
import { readsHash } from './look-services.js';
import { parseLook } from './parse-look.js';

/** Answers each path otherwise, and says on standard output how it was asked. */
const SERVER = `require('node:http').createServer((request, response) => {
  console.log(request.httpVersion + ' ' + request.url + ' ' + request.headers['user-agent']);
  if (request.url === '/chunked') response.setHeader('Transfer-Encoding', 'chunked');
  if (request.url === '/pieces' || request.url === '/chunked') return void (response.write('in '), response.end('pieces'));
  const body = request.url === '/large' ? 'x'.repeat(200_000) + 'end' : request.url === '/empty' ? '' : 'well\\nand good';
  response.writeHead(request.url === '/moved' ? 302 : request.url === '/gone' ? 404 : 200, { 'Content-Length': body.length }).end(body);
}).listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port) })`;

let server: ChildProcess;
let port: number;
let asked = '';

beforeAll(async () => {
  server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  server.stdout?.on('data', (chunk) => {
    asked += chunk;
  });
  await once(server.stdout as NodeJS.ReadableStream, 'data');
  port = Number(/port (\d+)/.exec(asked)?.[1]);
});
afterAll(() => server.kill());

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
        at('/moved'),
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
