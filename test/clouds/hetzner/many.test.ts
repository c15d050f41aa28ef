import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { WantedServer } from '../../../core/machine/provider.js';
import { hetzner } from '../../../providers/hetzner/index.js';
import { hostAccess } from '../../contracts/host-access.js';
import { leftIn } from './behind.js';
import { startHetzner } from './stand-in.js';

const COUNT = 200;
/** The vendor's request limit for a project per hour. */
const AN_HOUR = 3600;
const MOST_A_SERVER = 6;

// As slow as the real API, so that requests during waits count.
const standIn = await startHetzner({ requests: AN_HOUR, delays: { make: 4_000, boot: 8_000, other: 500, remove: 3_000 } });
afterAll(() => standIn.close());

test(`${COUNT} servers are made and deleted within the requests of an hour`, { timeout: 180_000 }, async () => {
  const outside = { env: { HCLOUD_TOKEN: standIn.token, HCLOUD_ENDPOINT: standIn.endpoint }, secret: async () => undefined };
  const connection = await hetzner.connect(hetzner.config.parse({}), outside);
  const scope = { workspace: 'default', infra: 'many', uuid: randomUUID() };
  const access = hostAccess();
  const wanted = (index: number): WantedServer => ({
    name: `web-${index + 1}`,
    role: 'web',
    plan: hetzner.sizes.small,
    image: hetzner.images.default,
    labels: {},
    volumes: [{ name: 'data', sizeGiB: 10, mount: '/srv/data' }],
    firewall: [{ protocol: 'tcp', ports: '443', from: ['0.0.0.0/0', '::/0'] }],
    // A network of the vendor has at most a hundred members.
    network: `net-${(index % 2) + 1}`,
  });
  const servers = Array.from({ length: COUNT }, (_, index) => wanted(index));
  const { log } = standIn.faults;
  const counted = async (work: () => Promise<unknown>) => {
    const before = log.length;
    await work();
    return log.length - before;
  };

  const made = await counted(async () => {
    expect(await connection.servers.list({ scope })).toEqual([]);
    for (const name of ['net-1', 'net-2']) await connection.networks.create({ name }, { scope, key: `op/network/${name}` });
    await Promise.all(
      servers.map(async (server) => {
        const context = { scope, setup: 'many', signal: AbortSignal.timeout(120_000) };
        await connection.servers.create(server, { ...context, key: `op/server/${server.name}`, access });
        const ready = await connection.servers.ready(server.name, context);
        expect(connection.servers.diff(server, ready)).toEqual({ action: 'noop' });
      }),
    );
  });
  expect(standIn.world.state.servers.size).toBe(COUNT);
  expect(Object.values(standIn.world.state.made).every((times) => times === 1)).toBe(true);

  const gone = await counted(async () => {
    await Promise.all(servers.map(({ name }) => connection.servers.delete(name, { scope })));
    for (const name of ['net-1', 'net-2']) await connection.networks.delete(name, { scope });
  });
  expect(leftIn(standIn)).toEqual({});

  const [perMade, perGone] = [made / COUNT, gone / COUNT];
  console.log(
    `${COUNT} servers, each with a volume and a firewall: ${made} requests to make them (${perMade.toFixed(2)} a server), ${gone} to delete them (${perGone.toFixed(2)})`,
  );
  expect(log.filter(({ fault }) => fault)).toEqual([]);
  expect(perMade).toBeLessThanOrEqual(MOST_A_SERVER);
  expect(perGone).toBeLessThanOrEqual(MOST_A_SERVER);
  expect(made + gone).toBeLessThan(AN_HOUR);
});
