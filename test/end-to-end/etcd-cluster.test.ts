import Docker from 'dockerode';
import { beforeAll, describe, expect, test } from 'vitest';
import { keepCertificates } from '../catalog/keep-certificates.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `etcd-${process.pid}`;
const MEMBERS = ['a', 'b', 'c'];
const timing = { healthMs: 30_000, heartbeatMs: 10_000, retryMs: 200 };

const generated = (ca: string, names: string[]) =>
  Object.fromEntries(['certificate', 'key', 'authority'].map((part) => [part, { generate: 'certificate', ca, names, part }]));

const CLUSTER = {
  cluster: 'main',
  tls: generated('etcd', [...MEMBERS, '127.0.0.1']),
  peerTls: generated('etcd-peers', MEMBERS),
};

describe.skipIf(why)('etcd on three hosts', () => {
  let engine: TestEngine;
  const on = Object.fromEntries(MEMBERS.map((name) => [name, shellOf(INFRA, name)]));
  const shell = (name: string, script: string) => on[name]?.(script) ?? Promise.reject(new Error(name));

  /** Runs etcdctl on a member against itself. */
  const ctl = (name: string, words: string) =>
    shell(
      name,
      `ETCDCTL_API=3 etcdctl --endpoints=https://127.0.0.1:2379 --cacert=/etc/etcd/authority.pem --cert=/etc/etcd/certificate.pem --key=/etc/etcd/key.pem ${words} 2>&1`,
    );
  const members = async (name: string) => (await ctl(name, 'member list')).split('\n').sort();

  const wish = (config: Record<string, unknown> = {}) => {
    const etcd = { name: 'etcd', config: { ...CLUSTER, ...config } };
    const servers = MEMBERS.map((name) => ({ name, taskservs: [etcd] }));
    return {
      infra: INFRA,
      timing,
      definition: definitionOf({ infra: INFRA, provider: 'local', servers }),
      onFailure: 'keep' as const,
    };
  };

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

  test('a member that is lost with its machine is replaced, and no write is lost', { timeout: 240_000 }, async () => {
    const before = await members('a');
    for (const id of await containersOf(INFRA, 'b')) await new Docker().getContainer(id).remove({ force: true, v: true });
    await eventually(() => ctl('a', 'put without b'), 10_000);
    await runWell(engine, wish());
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

  test('a snapshot is restored on one member, and the others join it', { timeout: 240_000 }, async () => {
    await shell('a', 'provisioning-etcd-snapshot save /root/snapshot');
    await ctl('a', 'put later lost');
    for (const name of MEMBERS) await shell(name, 'systemctl stop etcd');
    await shell('a', 'provisioning-etcd-snapshot restore /root/snapshot');
    await runWell(engine, wish());
    expect(await members('a')).toHaveLength(3);
    for (const name of MEMBERS) {
      expect(await ctl(name, 'get refused --print-value-only')).toBe('yes');
      expect(await ctl(name, 'get later --print-value-only')).toBe('');
    }
    expect(await shell('b', 'ls /var/lib/etcd')).toMatch(/^default\nformer-[0-9a-f]+-[0-9a-f]+$/);
  });
});
