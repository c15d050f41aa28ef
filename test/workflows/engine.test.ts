import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import { cacheOf, type Home, homeOf } from '../../home/home.js';
import { describeRecordedService } from '../../settings/temporal-service.js';
import { parseUpstream } from '../../temporal-ui/upstream.js';
import { findBinary } from '../../workers/engine/binary/find-binary.js';
import { down } from '../../workers/engine/down.js';
import { isAlive } from '../../workers/engine/processes/process.js';
import { readRecord } from '../../workers/engine/record.js';
import { status } from '../../workers/engine/status.js';
import { up } from '../../workers/engine/up.js';

const binary = await findBinary({ env: process.env, cache: cacheOf() }, () => {}).catch((error: Error) => error);
const folder = binary instanceof Error || !binary ? undefined : dirname(binary.path);
if (binary instanceof Error) console.warn(`skipped: the engine cannot be had here: ${binary.message}`);

/** Replaces the worker: ready immediately, ends on SIGTERM, polls nothing. */
const WORKER = "console.log('worker ready'); process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);";

describe.skipIf(!folder)('a real engine', { timeout: 240_000 }, () => {
  const quiet = () => {};
  let place: string;
  let a: Home;
  let b: Home;
  let env: NodeJS.ProcessEnv;
  let dist: string;

  const raise = (home: Home, more: NodeJS.ProcessEnv = {}) => up(home, { dist, env: { ...env, ...more }, supervise: false }, quiet);
  const recordOf = async (home: Home) => {
    const record = await readRecord(home);
    if (!record?.server || !record.worker) throw new Error('an engine should be recorded');
    return { ...record, server: record.server, worker: record.worker };
  };
  async function client<T>(home: Home, work: (client: Client) => Promise<T>): Promise<T> {
    const record = await recordOf(home);
    const { address, namespace } = record;
    const connection = await Connection.connect({ address, ...(await describeRecordedService(record, env))?.connection });
    try {
      return await work(new Client({ connection, namespace }));
    } finally {
      await connection.close();
    }
  }
  async function running(home: Home): Promise<string[]> {
    return client(home, async ({ workflow }) => {
      const ids: string[] = [];
      for await (const { workflowId } of workflow.list({ query: `${SEARCH_ATTRIBUTES.infra} = 'shop'` })) ids.push(workflowId);
      return ids;
    });
  }
  async function eventually(check: () => Promise<string[]>, wanted: string[]): Promise<void> {
    let seen: string[] = [];
    for (let attempt = 0; attempt < 100; attempt++, await sleep(100)) {
      seen = await check();
      if (seen.join() === wanted.join()) return;
    }
    expect(seen).toEqual(wanted);
  }

  beforeAll(async () => {
    if (!folder) return;
    place = await mkdtemp(join(tmpdir(), 'engine-'));
    a = homeOf({ PROVISIONING_HOME: join(place, 'a') });
    b = homeOf({ PROVISIONING_HOME: join(place, 'b') });
    dist = place;
    const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|PROVISIONING_)/.test(name));
    env = { ...Object.fromEntries(own), HOME: place, PROVISIONING_CACHE: cacheOf() };
    env.PATH = `${folder}${delimiter}${env.PATH ?? ''}`;
    await writeFile(join(place, 'worker.js'), WORKER);
    await writeFile(join(place, 'workflow-threads.cjs'), '');
    await writeFile(join(place, 'build-id'), 'first\n');
  });

  afterAll(async () => {
    if (!folder) return;
    for (const home of [a, b]) await down(home);
    await rm(place, { recursive: true, force: true });
  });

  test('two homes stand side by side', async () => {
    const [one, two] = await Promise.all([raise(a), raise(b)]);
    expect(one).toMatchObject({ engine: 'started', worker: 'started', namespace: 'provisioning', build: 'first' });
    expect(two.address).not.toBe(one.address);
    expect(two.taskQueue).not.toBe(one.taskQueue);
    expect(one.transport).toBe('mutual-tls');
    const { base, fetch } = parseUpstream(one.ui ?? '');
    expect((await fetch(new Request(`${base}/namespaces`))).status).toBe(200);
  });

  test('a second up leaves all alone', async () => {
    const before = await recordOf(a);
    expect(await raise(a)).toMatchObject({ engine: 'running', worker: 'running' });
    expect(await recordOf(a)).toEqual(before);
  });

  test('ended operations are kept for thirty days', async () => {
    const { namespace } = await recordOf(a);
    const { config } = await client(a, ({ connection }) => connection.workflowService.describeNamespace({ namespace }));
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3600);
  });

  test('status says that nobody polls', async () => {
    const found = await status(a, { dist, env });
    expect(found).toMatchObject({ state: 'running', pollers: [], worker: { build: 'first', current: true } });
    expect(found.problems).toEqual(['no worker polls: operations wait; run `provisioning up`']);
  });

  test('state outlives kill -9 of server and worker, and up repairs both', async () => {
    const { server, worker, taskQueue, address } = await recordOf(a);
    await client(a, ({ workflow }) =>
      workflow.start('infra', {
        workflowId: 'infra/default/shop',
        taskQueue,
        searchAttributes: { [SEARCH_ATTRIBUTES.infra]: ['shop'] },
      }),
    );
    await eventually(() => running(a), ['infra/default/shop']);
    process.kill(server.pid, 'SIGKILL');
    process.kill(worker.pid, 'SIGKILL');
    while (isAlive(server) || isAlive(worker)) await sleep(10);
    expect((await status(a, { dist, env })).state).toBe('unreachable');

    expect(await raise(a)).toMatchObject({ engine: 'started', worker: 'started', address });
    await eventually(() => running(a), ['infra/default/shop']);
    expect(await running(b)).toEqual([]);
  });

  test('a worker of another build is replaced, the server left alone', async () => {
    const before = await recordOf(a);
    await writeFile(join(place, 'build-id'), 'second\n');
    expect((await status(a, { dist, env })).worker?.current).toBe(false);
    expect(await raise(a)).toMatchObject({ engine: 'running', worker: 'replaced', build: 'second' });
    expect(isAlive(before.worker)).toBe(false);
    expect(isAlive(before.server)).toBe(true);
  });

  test('an engine whose record was lost leaves no second server on the file, and no second worker', async () => {
    const { server, worker } = await recordOf(b);
    await rm(join(b.engine, 'engine.json'));
    await raise(b);
    expect([isAlive(server), isAlive(worker)]).toEqual([false, false]);
    expect((await status(b, { dist, env })).state).toBe('running');
  });

  test('down ends both and keeps the state', async () => {
    const { server, worker } = await recordOf(a);
    expect(await down(a)).toEqual({ worker: 'stopped', engine: 'stopped' });
    expect([isAlive(server), isAlive(worker)]).toEqual([false, false]);
    expect(await down(a)).toEqual({ worker: 'absent', engine: 'absent' });
    expect((await status(a, { dist, env })).state).toBe('stopped');
    await raise(a);
    await eventually(() => running(a), ['infra/default/shop']);
  });

  test('a configured port in use, and a file of another version, are one clear error each; nothing is left running', async () => {
    await down(a);
    const { address } = await recordOf(b);
    const port = address.split(':')[1] ?? '';
    const taken = await raise(a, { PROVISIONING_PORT: port }).catch((thrown) => thrown);
    expect(taken.message).toMatch(new RegExp(`^cannot start the engine: port ${port}: `));
    await writeFile(join(a.engine, 'temporal.version'), 'server 1.3\n');
    const other = await raise(a).catch((thrown) => thrown);
    expect(other.details).toMatchObject({ code: 'engine-file-version', blame: 'user' });
    expect((await status(a, { dist, env })).state).toBe('stopped');
  });

  test('a service that the user names is used as it is, and never replaced in silence', async () => {
    const { address, namespace, certificates } = await recordOf(b);
    await writeFile(a.identity, JSON.stringify({ id: 'cafe' }));
    const theirs = {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      TEMPORAL_TLS_SERVER_NAME: 'localhost',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(certificates ?? '', 'ca.pem'),
      TEMPORAL_TLS_CLIENT_CERT_PATH: join(certificates ?? '', 'client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: join(certificates ?? '', 'client.pem'),
    };
    expect(await raise(a, theirs)).toMatchObject({
      engine: 'configured',
      address,
      taskQueue: 'provisioning-cafe',
      worker: 'started',
    });
    // A retention shorter than promised causes a warning each time. Only the owner of the Temporal service changes it.
    expect((await raise(a, theirs)).warnings).toEqual([]);
    const config = { workflowExecutionRetentionTtl: msToTs('3 days') };
    await client(b, ({ connection }) => connection.workflowService.updateNamespace({ namespace, config }));
    expect((await raise(a, theirs)).warnings).toEqual([expect.stringContaining('forgets what has ended after 3 days')]);
    expect((await status(a, { dist, env: { ...env, ...theirs } })).warnings).toHaveLength(1);
    expect((await raise(a).catch((thrown) => thrown)).details.code).toBe('engine-not-configured');
    expect((await raise(a, { ...theirs, TEMPORAL_NAMESPACE: 'nowhere' }).catch((thrown) => thrown)).details.hint).toContain(
      'namespace create --namespace nowhere',
    );
    expect(await down(a)).toEqual({ worker: 'stopped', engine: 'configured' });
    const nobody = await raise(a, { TEMPORAL_ADDRESS: '127.0.0.1:1' }).catch((thrown) => thrown);
    expect(nobody.details).toMatchObject({ code: 'engine-unreachable', blame: 'weather', on: '127.0.0.1:1' });
  });
});
