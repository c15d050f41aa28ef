import Docker from 'dockerode';
import { beforeAll, describe, expect, test } from 'vitest';
import { keepCertificates } from '../catalog/keep-certificates.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { clusterOf, workUnderLoad } from '../support/etcd-load.js';
import { askMember } from '../support/etcd-member.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `etcd-${process.pid}`;
const MEMBERS = ['a', 'b', 'c'];
const FIVE = [...MEMBERS, 'd', 'e'];
const timing = { healthMs: 30_000, heartbeatMs: 10_000, retryMs: 200 };

const CLUSTER = clusterOf(FIVE);

describe.skipIf(why)('etcd on three hosts', () => {
  let engine: TestEngine;
  const on = Object.fromEntries(FIVE.map((name) => [name, shellOf(INFRA, name)]));
  const shell = (name: string, script: string) => on[name]?.(script) ?? Promise.reject(new Error(name));

  /** Runs etcdctl on a member against itself. */
  const ctl = (name: string, words: string) => askMember((script) => shell(name, script))(words);
  const members = async (name: string) => (await ctl(name, 'member list')).split('\n').sort();

  const wish = (config: Record<string, unknown> = {}, names = MEMBERS) => {
    const etcd = { name: 'etcd', config: { ...CLUSTER, ...config } };
    const servers = names.map((name) => ({ name, taskservs: [etcd] }));
    return {
      infra: INFRA,
      timing,
      definition: definitionOf({ infra: INFRA, provider: 'local', servers }),
      onFailure: 'keep' as const,
    };
  };

  const underLoad = (what: string, members: string[], work: () => Promise<unknown>) =>
    workUnderLoad({ infra: INFRA, what, members, servers: FIVE, work });

  withHostEngine(INFRA, (started) => {
    engine = started;
  });
  beforeAll(() => keepCertificates(engine, INFRA, CLUSTER));

  test('is one cluster: what is put on one member is read on each other one', { timeout: 240_000 }, async () => {
    await runWell(engine, wish());
    expect(await members('a')).toHaveLength(3);
    await ctl('a', 'put who everyone');
    for (const name of ['b', 'c']) expect(await ctl(name, 'get who --print-value-only')).toBe('everyone');
    expect((await run(engine, { ...wish(), check: true })).plan).toEqual([]);
  });

  const lose = async (name: string) => {
    for (const id of await containersOf(INFRA, name)) await new Docker().getContainer(id).remove({ force: true, v: true });
  };

  test('a member that is lost with its machine is replaced under load, and no write is lost', async () => {
    const before = await members('a');
    await underLoad('a lost member, replaced', MEMBERS, async () => {
      await lose('b');
      await eventually(() => ctl('a', 'put without b'), 10_000);
      await runWell(engine, wish());
    });
    const after = await members('a');
    expect(after).toHaveLength(3);
    expect(after.filter((line) => before.includes(line))).toHaveLength(2);
    expect(await ctl('b', 'get without --print-value-only')).toBe('b');
  });

  test('a change that would lose a second member at once is refused', { timeout: 120_000 }, async () => {
    await shell('c', 'systemctl stop etcd');
    const changed = { ...wish({ quota: '1 GiB' }), kind: 'taskserv' as const };
    const result = await run(engine, { ...changed, intent: { verb: 'ensure', servers: ['a'], taskservs: ['etcd'] } });
    expect(result.status).not.toBe('done');
    expect(result.error?.why).toContain('2 are needed');
    await ctl('a', 'put refused yes');
    expect(await shell('a', 'grep QUOTA /etc/default/etcd')).toBe('ETCD_QUOTA_BACKEND_BYTES=2147483648');
  });

  test('it grows to five under load, which do without two but not without three, and shrinks again', async () => {
    await shell('c', 'systemctl start etcd');
    const grown = wish({}, FIVE);
    await underLoad('two members join', FIVE, () => runWell(engine, grown));
    expect(await members('e')).toHaveLength(5);
    for (const name of ['d', 'e']) await shell(name, 'systemctl stop etcd');
    await ctl('a', 'put three left');
    const changed = { ...wish({ quota: '1 GiB' }, FIVE), kind: 'taskserv' as const };
    const result = await run(engine, { ...changed, intent: { verb: 'ensure', servers: ['a'], taskservs: ['etcd'] } });
    expect(result.error?.why).toContain('3 are needed');
    await underLoad('two members leave', MEMBERS, () => runWell(engine, { ...wish(), allowDestroy: true }));
    expect(await members('b')).toHaveLength(3);
    expect(await ctl('b', 'get three --print-value-only')).toBe('left');
  });

  test('a snapshot is restored on one member, and the others join it', { timeout: 240_000 }, async () => {
    await shell('a', 'provisioning-etcd-snapshot save /root/snapshot');
    await ctl('a', 'put later lost');
    for (const name of MEMBERS) await shell(name, 'systemctl stop etcd');
    const began = Date.now();
    const seconds = () => ((Date.now() - began) / 1_000).toFixed(0);
    await shell('a', 'provisioning-etcd-snapshot restore /root/snapshot');
    await eventually(() => ctl('a', 'endpoint health'));
    console.log(`restored on one member after ${seconds()} s`);
    await runWell(engine, wish());
    console.log(`all members have it after ${seconds()} s`);
    expect(await members('a')).toHaveLength(3);
    for (const name of MEMBERS) {
      expect(await ctl(name, 'get refused --print-value-only')).toBe('yes');
      expect(await ctl(name, 'get later --print-value-only')).toBe('');
    }
    expect(await shell('b', 'ls /var/lib/etcd')).toMatch(/^default\nformer-[0-9a-f]+-[0-9a-f]+$/);
  });
});
