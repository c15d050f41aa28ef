import { readFile, stat } from 'node:fs/promises';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTemporal } from '../../app/temporal/connect-temporal.js';
import { connect } from '../../client/connect.js';
import { type EngineRecord, type ServerRecord, transportOf } from '../../core/engine/engine.js';
import { cacheOf } from '../../home/home.js';
import { homeConnection } from '../../settings/temporal-service.js';
import { findBinary } from '../../workers/engine/binary/find-binary.js';
import { readRecord } from '../../workers/engine/record.js';
import { status } from '../../workers/engine/status.js';
import { isServing } from '../../workers/engine/temporal-service/serving.js';
import { up } from '../../workers/engine/up.js';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { runWell } from '../support/operations.js';
import { portsOf } from '../support/ports-of.js';
import { asNobody, canBeNobody, tryPorts } from '../support/stranger.js';
import { plainEngine } from '../support/temporal-cli.js';

const LIST = '/temporal.api.workflowservice.v1.WorkflowService/ListNamespaces';
const TOKENS = { HCLOUD_TOKEN: 'cloud-token', AWS_SECRET_ACCESS_KEY: 'cloud-token', PROVISIONING_SECRET_DB: 'our-secret' };

async function recordOf({ home }: TestEngine): Promise<EngineRecord & { server: ServerRecord; certificates: string }> {
  const record = await readRecord(home);
  if (!record?.server || !record.certificates) throw new Error('an engine of its own with certificates should be recorded');
  return { ...record, server: record.server, certificates: record.certificates };
}

/** Opens a connection with a certificate of the home that commands do not use. */
async function withCertificate({ address, certificates }: { address: string; certificates: string }, name: string) {
  const both = await readFile(join(certificates, `${name}.pem`));
  const serverRootCACertificate = await readFile(join(certificates, 'ca.pem'));
  return { address, tls: { serverNameOverride: 'localhost', serverRootCACertificate, clientCertPair: { crt: both, key: both } } };
}

const environmentOf = async (pid: number) =>
  Object.fromEntries(
    (await readFile(`/proc/${pid}/environ`, 'utf8'))
      .split('\0')
      .filter(Boolean)
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );

describe('the engine that is built here', () => {
  let engine: TestEngine;
  let record: Awaited<ReturnType<typeof recordOf>>;
  beforeAll(async () => {
    engine = await startTestEngine(TOKENS);
    record = await recordOf(engine);
  });
  afterAll(() => engine?.stop());

  test('lets another user in at none of its ports, in no way', async () => {
    const ports = portsOf(record.server.pid);
    expect(ports).toContain(Number(record.address.split(':')[1]));
    const found = await tryPorts(record.server.binary, ports);
    const ways = Object.values(found).flatMap((tried) => Object.values(tried));
    expect(ways.length).toBe(7 * ports.length);
    expect(ways.filter((answer) => !answer.startsWith('refused'))).toEqual([]);
  });

  test('answers those who have its certificates', async () => {
    expect(await isServing(record.address, 5_000, record.certificates)).toBe(true);
    expect(await isServing(record.address, 5_000)).toBe(false);
    const { count } = await engine.temporal.workflowService.countWorkflowExecutions({ namespace: record.namespace });
    expect(Number(count)).toBeGreaterThanOrEqual(0);
  });

  test.skipIf(!canBeNobody)('keeps its keys, its database and the socket of the Web UI to its user', async () => {
    const socket = record.ui?.slice('unix:'.length) ?? '';
    expect((await stat(socket)).mode & 0o777).toBe(0o700);
    for (const name of ['authority', 'ca', 'client', 'server', 'web-ui']) {
      expect((await stat(join(record.certificates, `${name}.pem`))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(record.certificates)).mode & 0o777).toBe(0o700);
    expect((await stat(join(engine.home.engine, 'temporal.db'))).mode & 0o777).toBe(0o600);
    const ask =
      "require('node:net').connect(process.argv[1]).on('connect', () => console.log('in')).on('error', (e) => console.log(e.code))";
    expect((await asNobody(process.execPath, '-e', ask, socket)).stdout).toBe('EACCES');
    expect((await asNobody('cat', join(record.certificates, 'client.pem'))).exitCode).not.toBe(0);
    // The same request of its user succeeds.
    await new Promise<void>((resolve, reject) => {
      const own = connectTo(socket, () => resolve(void own.destroy())).on('error', reject);
    });
  });

  test('gets no cloud token and no secret, and shows no key in its arguments', async () => {
    const given = await environmentOf(record.server.pid);
    expect(Object.values(given).filter((value) => /cloud-token|our-secret/.test(value))).toEqual([]);
    expect(given.PATH).toBe(engine.env.PATH);
    expect(await readFile(`/proc/${record.server.pid}/cmdline`, 'utf8')).not.toContain('PRIVATE KEY');
  });

  test('the certificate of the Web UI can only read, and that of the server lets nobody in', async () => {
    const reads = await connectTemporal(await withCertificate(record, 'web-ui'));
    const { namespace, taskQueue } = record;
    await reads.workflowService.listWorkflowExecutions({ namespace });
    await expect(
      reads.workflowService.startWorkflowExecution({
        namespace,
        workflowId: 'by-the-web-ui',
        workflowType: { name: 'infra' },
        taskQueue: { name: taskQueue },
        requestId: 'one',
      }),
    ).rejects.toMatchObject({ code: 7 });
    await expect(reads.workflowService.listWorkflowExecutions({ namespace: 'temporal-system' })).rejects.toMatchObject({ code: 7 });
    await reads.close();
    await expect(connectTemporal({ ...(await withCertificate(record, 'server')), connectTimeout: 2_000 })).rejects.toThrow();
  });

  test("a client's certificate does nothing outside its namespace and none of Temporal's own administration", async () => {
    const connection = await connectTemporal(homeConnection(record.address, record.certificates));
    const { workflowService, operatorService } = connection;
    await workflowService.describeNamespace({ namespace: record.namespace });
    await operatorService.listSearchAttributes({ namespace: record.namespace });
    for (const refused of [
      () => workflowService.listWorkflowExecutions({ namespace: 'temporal-system' }),
      () => workflowService.registerNamespace({ namespace: 'mine' }),
      () => operatorService.deleteNamespace({ namespace: record.namespace }),
      () => operatorService.createNexusEndpoint({ spec: { name: 'out' } }),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: 7 });
    }
    await connection.close();
  });

  test('does its work', async () => {
    const definition = demoDefinition('tls', { servers: [{ name: 'web' }], taskservs: ['nginx'] });
    await runWell(engine, { infra: 'tls', definition });
    const { state, transport, warnings, problems } = await status(engine.home, { env: engine.env });
    expect({ state, transport, warnings, problems }).toEqual({
      state: 'running',
      transport: 'mutual-tls',
      warnings: [],
      problems: [],
    });
  });
});

describe('an engine of a "temporal" that has no mutual TLS', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine(await plainEngine());
  });
  afterAll(() => engine?.stop());

  test('says that it is sealed only, and lets everybody in', async () => {
    const record = await readRecord(engine.home);
    if (!record?.server) throw new Error('an engine of its own should be recorded');
    expect(transportOf(record)).toBe('sealed-only');
    const { state, transport, warnings } = await status(engine.home, { env: engine.env });
    expect({ state, transport }).toEqual({ state: 'running', transport: 'sealed-only' });
    expect(warnings).toEqual([expect.stringMatching(/^sealed only: .* `provisioning up --rebuild`/)]);
    // Result of the stranger's attempts without mutual TLS. It proves that the attempts reach a server.
    const built = await findBinary({ env: process.env, cache: cacheOf() }, () => {});
    const found = await tryPorts(built?.path ?? '', [Number(record.address.split(':')[1])]);
    const [ways = {}] = Object.values(found);
    expect(ways[`plain ${LIST}`]).toMatch(/^answered 200/);
  });

  test('moves over to mutual TLS at the next `up`, with all that it knows', async () => {
    await runWell(engine, { infra: 'moved', definition: demoDefinition('moved', { servers: [{ name: 'web' }] }) });
    const before = await readRecord(engine.home);
    const { PROVISIONING_ENGINE: _, ...env } = engine.env;
    const result = await up(engine.home, { env }, () => {});
    expect(result).toMatchObject({ engine: 'started', worker: 'replaced', transport: 'mutual-tls', address: before?.address });
    const client = await connect({ home: engine.home, env });
    expect(await client.infras.list({ workspace: 'default' })).toEqual(['moved']);
    await client.close();
    const again = await up(engine.home, { env }, () => {});
    expect(again).toMatchObject({ engine: 'running', worker: 'running' });
  });
});
