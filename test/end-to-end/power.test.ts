import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLOUDS, type CloudOnHosts } from '../clouds/clouds.js';
import { closeMachines } from '../clouds/machines.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { endAll, eventually, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `power-${process.pid}`;
const timing = { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200 };
const docker = new Docker();

/** Returns the output and exit code of a command. `--json` output is parsed. */
async function told(engine: TestEngine, line: string) {
  const { code, stdout, stderr } = await provisioning(engine, line.split(' '));
  return { code, stdout, stderr, json: line.includes('--json') ? JSON.parse(stdout) : undefined };
}

describe.skipIf(why)('servers on this machine, switched by command line', () => {
  let engine: TestEngine;
  const stateOf = async (name: string) => {
    const [id = ''] = await containersOf(INFRA, name);
    const { State } = await docker.getContainer(id).inspect();
    return { id, running: State.Running, startedAt: State.StartedAt };
  };
  /** Counts how often Docker started and ended a server's container since then (seconds since 1970). */
  const eventsSince = async (since: number, name: string) => {
    const { id } = await stateOf(name);
    const filters = { container: [id], event: ['start', 'die'] };
    const stream = await docker.getEvents({ since, until: Math.ceil(Date.now() / 1000), filters });
    let text = '';
    for await (const part of stream) text += part;
    const lines = text.split('\n').filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as { Action: string }).Action);
  };

  withHostEngine(INFRA, async (started) => {
    engine = started;
    const definition = definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'db' }, { name: 'web' }],
      taskservs: [
        { name: 'redis', on: { server: 'db' } },
        { name: 'nginx', on: { server: 'web' } },
      ],
    });
    await runWell(engine, { infra: INFRA, definition, timing });
  });

  test('a stop asks, is seen, and is ended by a start or by an apply', async () => {
    const asks = await told(engine, 'server stop db --json');
    expect([asks.code, asks.json.error.code]).toEqual([2, 'needs-yes']);
    const preview = await told(engine, 'server stop db --check');
    expect([preview.code, preview.stdout]).toEqual([0, `db\n  ! Stop the server db\n${INFRA}: 1 step: 1 interrupts service\n`]);
    expect((await stateOf('db')).running).toBe(true);
    const nobody = await told(engine, 'server stop bd --yes --json');
    expect([nobody.code, nobody.json.error.code, nobody.json.error.hint]).toEqual([
      2,
      'unknown-server',
      expect.stringContaining('db'),
    ]);

    const stop = await told(engine, 'server stop db --yes --json');
    expect([stop.code, stop.json.status, stop.json.steps]).toEqual([0, 'done', { executed: 1, planned: 1 }]);
    expect((await stateOf('db')).running).toBe(false);
    expect((await told(engine, 'server stop db --yes')).stdout).toContain('nothing to do');
    expect((await told(engine, 'server list')).stdout).toMatch(/\bdb +stopped +db\b/);
    expect((await told(engine, 'server status db --timeout 120')).stdout).toMatch(/redis .*stopped/);
    expect((await told(engine, 'server list --json')).json.servers.map((one: { stopped?: string }) => one.stopped)).toEqual([
      stop.json.operation,
      undefined,
    ]);
    expect(await told(engine, `refresh ${INFRA} --timeout 120 --json`)).toMatchObject({
      code: 0,
      json: { differs: [], gone: [], unknown: [] },
    });
    const service = await told(engine, 'taskserv update redis --yes --json');
    expect([service.code, service.json.error]).toMatchObject([2, { code: 'server-stopped', on: 'db' }]);

    const start = await told(engine, 'server start db --json');
    expect(start).toMatchObject({
      code: 0,
      json: { status: 'done', services: [{ server: 'db', taskserv: 'redis', healthy: true }] },
    });
    expect(await shellOf(INFRA, 'db')('systemctl is-active redis-server')).toBe('active');
    expect((await told(engine, 'server start db')).stdout).toContain('nothing to do');
    expect((await told(engine, `refresh ${INFRA} --timeout 120 --json`)).code).toBe(0);

    await told(engine, 'server stop web --yes');
    const update = await told(engine, `cluster update --infra ${INFRA} --check`);
    expect(update.stdout).toMatch(/Change the server web: it is started \(server-stop-\S+ stopped it\)/);
    const again = await told(engine, `cluster update --infra ${INFRA} --yes --json`);
    expect([again.code, again.json.status]).toEqual([0, 'done']);
    expect((await stateOf('web')).running).toBe(true);
    expect((await told(engine, 'server list')).stdout).not.toContain('stopped');
  });

  test('a restart is one, also where kill -9 ends the worker in the middle of it', async () => {
    const before = await stateOf('web');
    const restart = await told(engine, 'server restart --role web --yes --json');
    expect(restart).toMatchObject({ code: 0, json: { status: 'done', services: [{ server: 'web', healthy: true }] } });
    const after = await stateOf('web');
    expect([after.id, after.running, after.startedAt > before.startedAt]).toEqual([before.id, true, true]);

    const since = Math.floor(Date.now() / 1000) + 1;
    await sleep(1_500);
    const killed = await told(engine, 'server restart db --yes --no-wait --json');
    // The system takes a moment to stop. Docker has the request, but the worker does not learn of the end.
    await eventually(async () =>
      expect((await (await engine.client()).operations.progress({ operation: killed.json.operation })).cells).toMatchObject([
        { state: 'running' },
      ]),
    );
    await sleep(300);
    await engine.killWorker();
    await engine.up();
    const result = await (await engine.client()).operations.result({ operation: killed.json.operation });
    expect([result.status, result.services.map(({ healthy }) => healthy)]).toEqual(['done', [true]]);
    expect(await eventsSince(since, 'db')).toEqual(['die', 'start']);
  });
});

const [cloudKind] = CLOUDS.filter(({ provider }) => provider === 'hetzner');

describe.skipIf(why)('servers of a cloud', () => {
  let cloud: CloudOnHosts;
  let engine: TestEngine;
  beforeAll(async () => {
    if (!cloudKind) throw new Error('no such cloud');
    cloud = await cloudKind.start();
    engine = await startTestEngine(cloud.env);
  });
  afterAll(async () => {
    await endAll(engine);
    await engine.stop();
    await cloud.close();
    await closeMachines();
  });

  test('are stopped without drift, started by their name, and restarted', async () => {
    const infra = `power-cloud-${process.pid}`;
    const definition = definitionOf({ infra, provider: 'hetzner', servers: [{ name: 'db' }], taskservs: ['redis'] });
    await runWell(engine, { infra, definition, timing });
    expect(await told(engine, 'server stop db --yes --json')).toMatchObject({ code: 0, json: { status: 'done' } });
    expect(await told(engine, `refresh ${infra} --timeout 120 --json`)).toMatchObject({ code: 0, json: { differs: [], gone: [] } });
    const healthy = { code: 0, json: { status: 'done', services: [{ server: 'db', taskserv: 'redis', healthy: true }] } };
    expect(await told(engine, 'server start db --json')).toMatchObject(healthy);
    expect(await told(engine, 'server restart db --yes --json')).toMatchObject(healthy);
    expect((await runWell(engine, { infra, definition, timing })).steps).toEqual({ executed: 0, planned: 0 });
    await runWell(engine, { infra, intent: { verb: 'delete' }, allowDestroy: true, timing });
    expect(await cloud.left()).toEqual({});
  });
});
