import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { type HetznerStandIn, startHetzner } from '../clouds/hetzner/stand-in.js';
import { closeMachines } from '../clouds/machines.js';
import { definitionOf } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { whyNoHosts } from '../support/hosts.js';
import { endAll, eventually, runWell } from '../support/operations.js';

const why = await whyNoHosts('plain');
if (why) console.warn(`left out: ${why}`);

const infra = 'moved';

afterAll(closeMachines);

describe.skipIf(why)('a server behind a load balancer that is replaced, and has another address', () => {
  let cloud: HetznerStandIn;
  let engine: TestEngine;
  beforeAll(async () => {
    cloud = await startHetzner({ hosts: 'docker' });
    engine = await startTestEngine({ HCLOUD_TOKEN: cloud.token, HCLOUD_ENDPOINT: cloud.endpoint });
  });
  afterAll(async () => {
    await endAll(engine);
    await engine.stop();
    await cloud.close();
  });

  /** Servers with separate networks. They use their public addresses, which are new with each machine. */
  const define = (image: string): Definition =>
    definitionOf({
      infra,
      provider: 'hetzner',
      servers: [
        { name: 'lb', role: 'lb', network: 'front' },
        { name: 'web-1', role: 'web', network: 'back', image },
        { name: 'web-2', role: 'web', network: 'back' },
      ],
      taskservs: [
        { name: 'haproxy', on: { role: 'lb' } },
        { name: 'nginx', on: { role: 'web' } },
      ],
    });
  const apply = (image: string, more = {}) =>
    runWell(engine, {
      infra,
      definition: define(image),
      onFailure: 'keep' as const,
      allowDestroy: true,
      timing: { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200 },
      ...more,
    });
  const row = (name: string) => [...cloud.world.state.servers.values()].find(({ labels }) => labels['provisioning.name'] === name);
  const onBalancer = (script: string) => cloud.world.machines.get(row('lb')?.id ?? 0)?.shell(script);
  const ask = (words: string) =>
    onBalancer(
      `perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => "/run/haproxy/admin.sock"); print $s "${words}\\n"; print <$s>'`,
    );
  const addressAtBalancer = async () => /web-1-nginx (\S+)/.exec((await ask('show servers state servers')) ?? '')?.[1];
  const isUp = async () => /^servers,web-1-nginx,.*?,UP/m.test((await ask('show stat')) ?? '');

  test.each([
    ['in its turn, before it is back in service', 'debian-12', 'debian-13', {}],
    ['all at once', 'debian-13', 'debian-12', { update: { strategy: 'all-at-once' as const } }],
  ])('is reached at its new address: %s', async (_, from, to, more) => {
    await apply(from);
    const former = row('web-1')?.ipv4;
    expect(await addressAtBalancer()).toBe(former);
    await apply(to, more);
    expect(row('web-1')?.ipv4).not.toBe(former);
    expect(await addressAtBalancer()).toBe(row('web-1')?.ipv4);
    // On a busy machine a check of haproxy may be late. The next check succeeds.
    await eventually(async () => expect(await isUp()).toBe(true));
    expect((await apply(to)).steps).toEqual({ executed: 0, planned: 0 });
  });
});
