import Docker from 'dockerode';
import { beforeAll, describe, expect, test } from 'vitest';
import { keepCertificates } from '../catalog/keep-certificates.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { clusterOf, workUnderLoad } from '../support/etcd-load.js';
import { askMember } from '../support/etcd-member.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, runWell } from '../support/operations.js';

const why = await whyNoHosts('debian-13');
if (why) console.warn(`left out: ${why}`);

const INFRA = `etcd-13-${process.pid}`;
const MEMBERS = ['a', 'b', 'c'];
const CLUSTER = clusterOf(MEMBERS);

const wish = {
  infra: INFRA,
  timing: { healthMs: 30_000, heartbeatMs: 10_000, retryMs: 200 },
  definition: definitionOf({
    infra: INFRA,
    provider: 'local',
    servers: MEMBERS.map((name) => ({ name, image: 'debian-13', taskservs: [{ name: 'etcd', config: CLUSTER }] })),
  }),
};

/** Debian 13 has etcd 3.5, whose snapshots another program restores. */
describe.skipIf(why)('etcd on three hosts of Debian 13', () => {
  let engine: TestEngine;
  const ctl = (name: string, words: string) => askMember(shellOf(INFRA, name))(words);

  withHostEngine(INFRA, (started) => {
    engine = started;
  });
  beforeAll(() => keepCertificates(engine, INFRA, CLUSTER));

  test('is one cluster, and a second run has nothing to do', async () => {
    await runWell(engine, wish);
    expect(await ctl('a', 'version')).toContain('etcdctl version: 3.5.');
    expect((await ctl('a', 'member list')).split('\n')).toHaveLength(3);
    expect((await runWell(engine, wish)).plan).toEqual([]);
  });

  test('a member that is lost with its machine is replaced under load, and no write is lost', async () => {
    const work = async () => {
      for (const id of await containersOf(INFRA, 'a')) await new Docker().getContainer(id).remove({ force: true, v: true });
      await runWell(engine, wish);
    };
    await workUnderLoad({ infra: INFRA, what: 'a lost member of etcd 3.5, replaced', members: MEMBERS, servers: MEMBERS, work });
    expect((await ctl('a', 'member list')).split('\n')).toHaveLength(3);
  });

  test('a snapshot is restored on one member, and the others join it', async () => {
    await ctl('b', 'put kept yes');
    await shellOf(INFRA, 'b')('provisioning-etcd-snapshot save /root/snapshot');
    await ctl('b', 'put later lost');
    for (const name of MEMBERS) await shellOf(INFRA, name)('systemctl stop etcd');
    await shellOf(INFRA, 'b')('provisioning-etcd-snapshot restore /root/snapshot');
    await eventually(() => ctl('b', 'endpoint health'));
    await runWell(engine, wish);
    for (const name of MEMBERS) {
      expect(await ctl(name, 'get kept --print-value-only')).toBe('yes');
      expect(await ctl(name, 'get later --print-value-only')).toBe('');
    }
  });
});
