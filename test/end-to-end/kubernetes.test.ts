import { afterAll, describe, expect, test } from 'vitest';
import { bridgeAddress } from '../support/bridge-address.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { findKubernetes, type KubernetesBuild, whyNoKubernetes } from '../support/kubernetes/kubernetes-cache.js';
import { type KubernetesServer, serveKubernetes } from '../support/kubernetes/serve-kubernetes.js';
import {
  binariesOf,
  defineNodes,
  groupsOf,
  HELLO,
  KUBERNETES_TIMING,
  kubeOn,
  OF_NODES,
  removeGroups,
  type TestCluster,
  type TestNode,
} from '../support/kubernetes-hosts.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = whyNoKubernetes() ?? (await whyNoHosts());
if (why) console.warn(`left out: ${why}`);

const INFRA = `k8s-${process.pid}`;
const NODES: TestNode[] = [{ name: 'a' }, { name: 'w', role: 'worker', config: { labels: { disk: 'ssd' } } }];

describe.skipIf(why)('a control plane and a worker', () => {
  let engine: TestEngine;
  let server: KubernetesServer;
  let cluster: TestCluster;
  let groups: string[] = [];
  const kube = kubeOn(INFRA, 'a');
  const on = (name: string) => shellOf(INFRA, name);

  // It removes the hosts before the control groups go.
  afterAll(async () => {
    await removeGroups(groups);
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

  const request = (nodes = NODES, more = {}) => ({
    infra: INFRA,
    definition: defineNodes(cluster, nodes),
    onFailure: 'keep' as const,
    timing: KUBERNETES_TIMING,
    ...more,
  });

  test('are Ready after one apply, and a second one does nothing', { timeout: 900_000 }, async () => {
    const began = Date.now();
    const result = await run(engine, request());
    groups = await groupsOf(INFRA, ['a', 'w']);
    expect(result.error).toBeUndefined();
    console.log(`from nothing to two nodes that are Ready: ${((Date.now() - began) / 1_000).toFixed(0)} s`);
    const nodes = await kube(
      `kubectl get nodes --no-headers -o 'custom-columns=N:.metadata.name,R:.status.conditions[?(@.type=="Ready")].status,D:.metadata.labels.disk,V:.status.nodeInfo.kubeletVersion'`,
    );
    expect(nodes.split('\n').map((line) => line.split(/\s+/).join(' '))).toEqual([
      `a True <none> v${cluster.build.version}`,
      `w True ssd v${cluster.build.version}`,
    ]);
    const again = Date.now();
    expect((await runWell(engine, request())).plan).toEqual([]);
    console.log(`again, with nothing to do: ${((Date.now() - again) / 1_000).toFixed(1)} s`);
  });

  test('pods reach each other, a service and a name', { timeout: 300_000 }, async () => {
    await kube(
      `kubectl apply -f - <<'EOF'\n${HELLO}\nEOF\nkubectl rollout status daemonset/hello --timeout=180s\nkubectl -n kube-system rollout status deployment/coredns --timeout=180s`,
    );
    const pods = (
      await kube(
        `kubectl get pods -l app=hello -o 'jsonpath={range .items[*]}{.spec.nodeName} {.metadata.name} {.status.podIP}{"\\n"}{end}'`,
      )
    )
      .split('\n')
      .map((line) => line.split(' '));
    expect(pods.map(([node]) => node).sort()).toEqual(['a', 'w']);
    const [[, one = '', oneAt = ''] = [], [, other = '', otherAt = ''] = []] = pods;
    expect(await kube(`kubectl exec ${one} -- /hello get http://${otherAt}:8080/`)).toMatch(new RegExp(`^${other} saw ${oneAt}:`));
    const address = await kube(`kubectl get service hello -o 'jsonpath={.spec.clusterIP}'`);
    expect(await kube(`kubectl exec ${other} -- /hello resolve hello.default.svc.cluster.local`)).toBe(address);
    // Both pods answer, from a pod by name, and from the worker by the address and by the port of a node.
    for (const ask of [
      () => kube(`kubectl exec ${one} -- /hello get http://hello/`),
      () => on('w')(`curl -fsS -m 5 http://${address}/`),
      () => on('w')(`curl -fsS -m 5 http://a:30080/`),
    ]) {
      const seen = new Set<string>();
      await eventually(async () => {
        seen.add((await ask()).split(' ')[0] ?? '');
        expect([...seen].sort()).toEqual([one, other].sort());
      }, 60_000);
    }
  });

  test('a stopped kubelet and a file that was edited are repaired, and pods run on', { timeout: 300_000 }, async () => {
    const started = () => kube(`kubectl get pods -l app=hello -o 'jsonpath={.items[*].status.startTime}'`);
    const before = await started();
    await on('w')('systemctl stop kubelet; echo broken >>/etc/kubernetes/provisioning-balancer.cfg');
    const { plan } = await runWell(engine, request());
    expect(plan.map(({ on: server }) => server)).toEqual(plan.map(() => 'w'));
    expect(await started()).toBe(before);
    expect((await run(engine, { ...request(), check: true })).plan).toEqual([]);
  });

  test('a worker that leaves the definition is drained and deleted', { timeout: 300_000 }, async () => {
    await runWell(engine, request(NODES.slice(0, 1), { allowDestroy: true }));
    expect(await kube('kubectl get nodes -o name')).toBe('node/a');
    await eventually(async () =>
      expect(await kube(`kubectl get pods -l app=hello -o 'jsonpath={.items[*].spec.nodeName}'`)).toBe('a'),
    );
  });
});
