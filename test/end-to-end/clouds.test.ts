import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { ruleText } from '../../core/machine/firewall.js';
import { providers } from '../../providers/registry.generated.js';
import { type CloudOnHosts, cloudsHere } from '../clouds/clouds.js';
import { closeMachines } from '../clouds/machines.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { endAll, eventually, run, runWell } from '../support/operations.js';
import { quickstartAs } from '../support/quickstart.js';

// drift.test.ts tests the other providers on hosts.
const here = await cloudsHere(['hetzner']);

const timing = { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200 };
const apply = (definition: Definition, more = {}) => ({
  infra: definition.infra,
  definition,
  onFailure: 'keep' as const,
  timing,
  ...more,
});

afterAll(closeMachines);

/**
 * Checks the account's offer and permissions, the cost of the definition, and the comparison of cloud and inventory.
 * Each is checked as a table and as JSON.
 */
async function tellsOfItself(engine: TestEngine, provider: string, infra: string): Promise<void> {
  const file = join(engine.home.root, 'quickstart.yaml');
  await writeFile(
    file,
    (await readFile('examples/quickstart.yaml', 'utf8')).replace(/^provider: local$/m, `provider: ${provider}`),
  );
  const told = async (line: string) => {
    const table = await provisioning(engine, line.split(' '));
    const json = await provisioning(engine, [...line.split(' '), '--json']);
    expect([line, table.code, json.code, json.stderr]).toEqual([line, 0, 0, '']);
    for (const secret of Object.entries(engine.env).flatMap(([name, value]) => (/TOKEN|SECRET_ACCESS/.test(name) && value) || []))
      expect(`${table.stdout}${table.stderr}${json.stdout}`).not.toContain(secret);
    return { table: table.stdout, json: JSON.parse(json.stdout) };
  };
  const plans = await told(`provider plans ${provider}`);
  const small = (await providers[provider]?.load())?.sizes.small.name;
  expect(plans.json.plans).toContainEqual(expect.objectContaining({ name: small }));
  expect(plans.table).toContain(`${small} `);
  const cost = await told(`cost ${file}`);
  expect(cost.json.servers).toHaveLength(3);
  const known = cost.json.servers.filter((one: { cost?: { hourly: number } }) => (one.cost?.hourly ?? 0) > 0);
  expect([known.length, cost.json.unknown]).toEqual([3, 0]);
  expect(cost.table).toMatch(/in all: \d/);
  const check = await told(`provider check ${provider}`);
  expect(check.json.accounts[0].report.identity).not.toBe('');
  expect(check.table).toContain(check.json.accounts[0].report.identity);
  const { table, json } = await told(`refresh ${infra} --timeout 120`);
  expect(json).toMatchObject({ differs: [], gone: [], unknown: [], unasked: [] });
  const services = json.hosts.flatMap((host: { services?: unknown[] }) => host.services ?? []).length;
  expect(table).toContain(`${infra}: ${json.asRecorded + services} as recorded, 0 different, 0 gone, 0 unhealthy, 0 unknown`);
}

/** Reports whether a port accepts connections. */
const answers = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5_000 });
    const say = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket
      .once('connect', () => say(true))
      .once('error', () => say(false))
      .once('timeout', () => say(false));
  });

const inventoryOf = async (engine: TestEngine, infra: string): Promise<Inventory> => {
  const inventory = await (await engine.client()).infras.inventory({ workspace: 'default', infra });
  if (!inventory) throw new Error(`there is no infra ${infra}`);
  return inventory;
};

/** Checks that each server has a firewall in its cloud that allows only ICMP and the declared public ports. */
async function hasFirewalls(engine: TestEngine, provider: string, infra: string, definition: Definition): Promise<void> {
  const { workspace, uuid } = await inventoryOf(engine, infra);
  const known = await providers[provider]?.load();
  const connection = await known?.connect(known.config.parse({}), { env: engine.env, secret: async () => undefined });
  const found = await connection?.servers.list({ scope: { workspace, infra, uuid } });
  expect(found?.map(({ name }) => name)).toEqual(definition.servers.map(({ name }) => name));
  for (const server of found ?? []) {
    const { name, firewall } = server;
    const opened = firewall?.filter(({ protocol }) => protocol !== 'icmp').map((rule) => ruleText(rule));
    expect([name, opened]).toEqual([name, name === 'hub' ? ['tcp 80 from 0.0.0.0/0 ::/0'] : []]);
    const spec = definition.servers.find((one) => one.name === name);
    expect(spec && connection?.servers.diff(spec, server)).toEqual({ action: 'noop' });
  }
}

/** Checks that Prometheus reaches all its targets. The query runs on its host, because it listens only there. */
async function scrapes(engine: TestEngine, infra: string, definition: Definition): Promise<void> {
  const { connection } = (await inventoryOf(engine, infra)).servers.hub ?? {};
  const address = connection?.kind === 'ssh' ? connection.privateAddress : '';
  const query = ['curl', '-sS', `http://${address}:9090/api/v1/query?query=up`];
  const { stdout, stderr } = await provisioning(engine, ['server', 'ssh', 'hub', '--infra', infra, '--', ...query]);
  expect(stdout, stderr).toMatch(/^\{/);
  const answer = JSON.parse(stdout) as { data: { result: { value: [number, string] }[] } };
  const up = answer.data.result.map(({ value }) => value[1]);
  expect([up.length >= definition.servers.length, new Set(up)]).toEqual([true, new Set(['1'])]);
}

/** Checks that services on the private address start even if the address comes later, as at boot. */
async function startsWithALateAddress(engine: TestEngine, infra: string): Promise<void> {
  const { connection } = (await inventoryOf(engine, infra)).servers.hub ?? {};
  const address = connection?.kind === 'ssh' ? connection.privateAddress : '';
  const units = 'prometheus prometheus-node-exporter haproxy redis-server postgresql@15-main';
  const script = `set -e
set -- $(ip -o -4 addr show to ${address} | awk '{ print $2, $4 }')
systemctl stop ${units}
ip addr del "$2" dev "$1"
systemctl start --no-block ${units}
sleep 2
early=$(systemctl is-active ${units} | sort -u) || true
ip addr add "$2" dev "$1"
systemctl start ${units}
echo "$early" then $(systemctl is-active ${units} | sort -u)`;
  const { stdout, stderr } = await provisioning(engine, ['server', 'ssh', 'hub', '--infra', infra, '--', script]);
  expect(stdout.trim(), stderr).toBe('activating then active');
}

describe.each(here)('the quickstart with the one word $provider', ({ provider, start }) => {
  let cloud: CloudOnHosts;
  let engine: TestEngine;
  beforeAll(async () => {
    cloud = await start();
    engine = await startTestEngine(cloud.env);
  });
  afterAll(async () => {
    await endAll(engine);
    await engine.stop();
    await cloud.close();
  });

  test('goes to healthy services, again to nothing, and away without a trace', async () => {
    const infra = `qs-${provider}`;
    const definition = await quickstartAs(infra, (text) => text.replace(/^provider: local$/m, `provider: ${provider}`));
    expect(definition.servers.map((server) => server.provider)).toEqual([provider, provider, provider]);
    const first = await runWell(engine, apply(definition));
    const wanted = definition.servers.flatMap(({ name, taskservs }) => taskservs.map((one) => `${name}/${one.name}`));
    const healthy = first.services.filter((one) => one.healthy).map(({ server, taskserv }) => `${server}/${taskserv}`);
    expect(healthy.sort()).toEqual(wanted.sort());
    // A request of a browser from outside.
    const hub = await cloud.address('hub');
    const page = await fetch(`http://${hub}/`);
    expect([page.status, page.headers.get('server')]).toEqual([200, expect.stringMatching(/nginx/)]);
    // Other ports do not answer from outside: private services listen elsewhere, and the firewall blocks them.
    for (const port of [5432, 6379, 8405, 9090, 9100]) expect([port, await answers(hub ?? '', port)]).toEqual([port, false]);
    await hasFirewalls(engine, provider, infra, definition);
    // Prometheus can resolve the names of its targets only after a while.
    const scraped = () => eventually(() => scrapes(engine, infra, definition));
    await scraped();
    await startsWithALateAddress(engine, infra);
    await scraped();
    expect((await runWell(engine, apply(definition))).steps).toEqual({ executed: 0, planned: 0 });
    await tellsOfItself(engine, provider, infra);
    expect(await cloud.left()).not.toEqual({});
    await runWell(engine, { infra, intent: { verb: 'delete' }, allowDestroy: true, timing });
    expect(await cloud.left()).toEqual({});
  }, 900_000);
});

describe.skipIf(here.length < 2)('a definition that mixes clouds', () => {
  const clouds: CloudOnHosts[] = [];
  let engine: TestEngine;
  beforeAll(async () => {
    for (const { start } of here) clouds.push(await start());
    engine = await startTestEngine(Object.assign({}, ...clouds.map(({ env }) => env)));
  });
  afterAll(async () => {
    await endAll(engine);
    await engine.stop();
    for (const cloud of clouds) await cloud.close();
  });

  const [first] = here.map(({ provider }) => provider);
  /** A cluster with a load balancer at the first provider and web servers at the others. */
  const mixed = (infra: string): Definition =>
    definitionOf({
      infra,
      provider: first ?? '',
      servers: here.map(({ provider }) => ({
        name: `${provider}-1`,
        provider,
        role: provider === first ? 'front' : 'web',
        // A network belongs to one provider.
        network: provider,
      })),
      taskservs: [
        { name: 'haproxy', on: { role: 'front' } },
        // Requests of a load balancer in another network come from outside.
        { name: 'nginx', on: { role: 'web' }, public: ['http'] },
      ],
    });

  test('makes one cluster of them, and takes it away', async () => {
    const result = await runWell(engine, apply(mixed('mixed')));
    expect(result.services.map(({ server, healthy }) => [server, healthy])).toEqual(
      here.map(({ provider }) => [`${provider}-1`, true]).sort(),
    );
    expect((await fetch(`http://${await clouds[0]?.address(`${first}-1`)}/`)).status).toBe(200);
    await runWell(engine, { infra: 'mixed', intent: { verb: 'delete' }, allowDestroy: true, timing });
    for (const cloud of clouds) expect(await cloud.left()).toEqual({});
  });

  test('rolls back what was made in the others when the last one refuses', async () => {
    await clouds.at(-1)?.fill(true);
    const failed = await run(engine, apply(mixed('refused'), { onFailure: 'rollback' }));
    await clouds.at(-1)?.fill(false);
    expect([failed.status, failed.error?.code, failed.left]).toEqual(['rolled-back', 'quota-exceeded', []]);
    for (const cloud of clouds) expect(await cloud.left()).toEqual({});
  });
});
