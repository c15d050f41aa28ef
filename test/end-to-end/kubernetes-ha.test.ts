import Docker from 'dockerode';
import { afterAll, describe, expect, test } from 'vitest';
import { bridgeAddress } from '../support/bridge-address.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, whyNoHosts } from '../support/hosts.js';
import { findKubernetes, type KubernetesBuild, whyNoKubernetes } from '../support/kubernetes/kubernetes-cache.js';
import { type KubernetesServer, serveKubernetes } from '../support/kubernetes/serve-kubernetes.js';
import {
  binariesOf,
  defineNodes,
  groupsOf,
  KUBERNETES_TIMING,
  kubeOn,
  OF_NODES,
  removeGroups,
  type TestCluster,
} from '../support/kubernetes-hosts.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = whyNoKubernetes() ?? (await whyNoHosts());
if (why) console.warn(`left out: ${why}`);

const INFRA = `k8sha-${process.pid}`;
const PLANES = ['a', 'b', 'c'];

describe.skipIf(why)('three control planes', () => {
  let engine: TestEngine;
  let server: KubernetesServer;
  let cluster: TestCluster;
  const groups = new Set<string>();

  // It removes the hosts before the control groups go.
  afterAll(async () => {
    await removeGroups([...groups]);
    await server?.close();
  });
  withHostEngine(
    INFRA,
    async (started) => {
      engine = started;
      const build = findKubernetes() as KubernetesBuild;
      server = await serveKubernetes([build], await bridgeAddress());
      cluster = { infra: INFRA, build, server, binaries: await binariesOf(server, build) };
    },
    OF_NODES,
  );

  const on = (name: string) => kubeOn(INFRA, name);
  const request = (more = {}) => ({
    infra: INFRA,
    definition: defineNodes(
      cluster,
      PLANES.map((name) => ({ name })),
    ),
    onFailure: 'keep' as const,
    timing: KUBERNETES_TIMING,
    ...more,
  });
  const noteGroups = async () => {
    for (const group of await groupsOf(INFRA, PLANES)) groups.add(group);
  };
  const READY = `kubectl get nodes --no-headers -o 'custom-columns=N:.metadata.name,R:.status.conditions[?(@.type=="Ready")].status'`;
  const ready = async (at: string) => (await on(at)(READY)).split('\n').map((line) => line.split(/\s+/).join(' '));
  const ETCD = '/etc/kubernetes/pki';
  const members = async (at: string) => {
    const list = await on(at)(
      `curl -fsS --cacert ${ETCD}/etcd/ca.crt --cert ${ETCD}/apiserver-etcd-client.crt --key ${ETCD}/apiserver-etcd-client.key https://127.0.0.1:2379/v3/cluster/member/list -d '{}'`,
    );
    const { members: all } = JSON.parse(list) as { members: { name: string; isLearner?: boolean }[] };
    return all.map(({ name, isLearner }) => `${name}${isLearner ? ' learns' : ''}`).sort();
  };

  test('are one cluster, and a second apply does nothing', { timeout: 1_200_000 }, async () => {
    const began = Date.now();
    const result = await run(engine, request());
    await noteGroups();
    expect(result.error).toBeUndefined();
    console.log(`from nothing to three control planes that are Ready: ${((Date.now() - began) / 1_000).toFixed(0)} s`);
    expect(await ready('c')).toEqual(PLANES.map((name) => `${name} True`));
    expect(await members('b')).toEqual(PLANES);
    expect((await runWell(engine, request())).plan).toEqual([]);
  });

  test('one is lost with its machine: the others take writes from each node', { timeout: 300_000 }, async () => {
    for (const id of await containersOf(INFRA, 'a')) await new Docker().getContainer(id).remove({ force: true, v: true });
    const lost = Date.now();
    for (const name of ['b', 'c'])
      await eventually(() => on(name)(`kubectl --request-timeout=5s create configmap without-a-${name}`), 60_000);
    console.log(`writes after the loss of a control plane: ${((Date.now() - lost) / 1_000).toFixed(0)} s`);
    expect(await on('c')('kubectl get configmap without-a-b without-a-c -o name')).toBe(
      'configmap/without-a-b\nconfigmap/without-a-c',
    );
  });
});
