import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesWith, newCanary } from '../support/canary.js';
import { type Outcome, provisioning } from '../support/command-line.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { shellOf, sweep, whyNoHosts } from '../support/hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `rotated-${process.pid}`;
const SERVICES = ['postgres on a', 'redis on a', 'redis on b'];

interface Applied {
  operation: string;
  status: string;
  services: { server: string; taskserv: string; healthy: boolean }[];
}
interface Read {
  by: string;
  how: string;
  infra?: string;
  host?: string;
}

describe.skipIf(why)('a secret of three services on two hosts', () => {
  let engine: TestEngine;
  const first = newCanary();
  const run = async (line: string, stdin?: string): Promise<Outcome> => {
    const outcome = await provisioning(engine, line.split(' '), stdin);
    expect(outcome.code, `${line}\n${outcome.stdout}${outcome.stderr}`).toBe(0);
    return outcome;
  };
  const asJson = async <T>(line: string, stdin?: string) => JSON.parse((await run(`${line} --json`, stdin)).stdout) as T;
  const ping = (server: string, password: string) =>
    shellOf(INFRA, server)(`REDISCLI_AUTH=${password} redis-cli ping 2>/dev/null || true`);
  const login = (password: string) =>
    shellOf(INFRA, 'a')(`PGPASSWORD=${password} psql -h 127.0.0.1 -U app -d app -tAc 'select 1' 2>&1 || true`);

  beforeAll(async () => {
    engine = await startTestEngine();
    const file = join(engine.home.root, '..', 'rotated.json');
    const password = { secret: 'pw' };
    const users = [{ name: 'app', password }];
    const taskservs = [
      { name: 'redis', config: { password } },
      { name: 'postgres', on: { server: 'a' }, config: { users, databases: [{ name: 'app', owner: 'app' }] } },
      { name: 'nginx', on: { server: 'b' } },
    ];
    await writeFile(file, JSON.stringify({ infra: INFRA, provider: 'local', servers: [{ name: 'a' }, { name: 'b' }], taskservs }));
    await run('secret set pw', first);
    await run(`apply ${file} --yes`);
  });
  afterAll(async () => {
    if (!engine) return;
    await engine.stop();
    await sweep(INFRA);
  });

  test('is known to be used by them, and given to their hosts by the operation that installed them', async () => {
    const { uses } = await asJson<{ uses: unknown }>('secret usage pw');
    expect(uses).toEqual([{ infra: INFRA, places: SERVICES }]);
    const { reads } = await asJson<{ reads: Read[] }>('secret access pw');
    const operations = new Set(reads.map(({ by }) => by));
    expect([...operations]).toEqual([expect.stringMatching(/^cluster-ensure-/)]);
    expect(reads.map(({ host }) => host).sort()).toEqual(['a', 'b']);
  });

  test('is rotated: all three have the new value, none was found unhealthy, and each read is named', async () => {
    expect([(await ping('a', first)).trim(), (await ping('b', first)).trim(), (await login(first)).trim()]).toEqual([
      'PONG',
      'PONG',
      '1',
    ]);
    const shown = await run('secret rotate pw --check');
    expect(shown.stdout).toBe(`${INFRA}: ${SERVICES.join(', ')}\nNothing was changed.\n`);
    expect((await asJson<{ versions: unknown[] }>('secret history pw')).versions).toHaveLength(1);

    const rotated = await asJson<{
      version: number;
      infras: { operation: string; code: number; status: string }[];
      left: string[];
    }>('secret rotate pw --generate password --yes');
    expect(rotated).toMatchObject({ version: 2, infras: [{ infra: INFRA, code: 0, status: 'done' }], left: [] });
    const operation = rotated.infras[0]?.operation ?? '';
    const done = await asJson<Applied>(`workflow status ${operation}`);
    const health = done.services.map(({ taskserv, server, healthy }) => `${taskserv} on ${server} ${healthy}`).sort();
    expect(health).toEqual(SERVICES.map((place) => `${place} true`));

    const next = (await run('secret get pw --reveal')).stdout.trim();
    expect(next).not.toBe(first);
    expect([(await ping('a', next)).trim(), (await ping('b', next)).trim(), (await login(next)).trim()]).toEqual([
      'PONG',
      'PONG',
      '1',
    ]);
    expect((await ping('a', first)) + (await ping('b', first))).not.toContain('PONG');
    expect(await login(first)).toContain('password authentication failed');

    const { reads } = await asJson<{ reads: Read[] }>('secret access pw');
    const people = reads.filter(({ how }) => how !== 'operation');
    expect(people.map(({ how }) => how)).toEqual(['secret get']);
    const hosts = reads.filter(({ by }) => by === operation).map(({ infra, host }) => `${infra} ${host}`);
    expect(hosts.sort()).toEqual([`${INFRA} a`, `${INFRA} b`]);
  });

  test('is rolled back to what it was, and the next update applies that', async () => {
    const { version } = await asJson<{ version: number }>('secret rollback pw --to 1');
    expect(version).toBe(3);
    await run(`taskserv update redis postgres --infra ${INFRA} --yes`);
    expect([(await ping('a', first)).trim(), (await ping('b', first)).trim(), (await login(first)).trim()]).toEqual([
      'PONG',
      'PONG',
      '1',
    ]);
    expect(await filesWith(first, engine.home.operations)).toEqual([]);
  });
});
