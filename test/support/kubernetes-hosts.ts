import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Written } from './definition.js';
import { definitionOf } from './definition.js';
import { type HostShell, shellOf } from './hosts.js';
import type { KubernetesBuild } from './kubernetes/kubernetes-cache.js';
import type { KubernetesServer } from './kubernetes/serve-kubernetes.js';

const run = promisify(execFile);

/** Time for a node that pulls its images and becomes ready, on a busy machine. */
export const KUBERNETES_TIMING = { healthMs: 300_000, heartbeatMs: 30_000, retryMs: 500 };

/** Variables of an engine whose hosts run containers. */
export const OF_NODES: NodeJS.ProcessEnv = { PROVISIONING_PROVIDERS_LOCAL_NESTED_CONTAINERS: 'true' };

/** A node of a test's cluster. */
export interface TestNode {
  name: string;
  role?: 'worker';
  /** More of its configuration. */
  config?: Record<string, unknown>;
}

/** Returns the programs of a build for the configuration of the taskserv. */
export async function binariesOf(server: KubernetesServer, build: KubernetesBuild) {
  const [kubelet, kubeadm, kubectl] = await Promise.all([
    server.artifact(build, 'kubelet'),
    server.artifact(build, 'kubeadm'),
    server.artifact(build, 'kubectl'),
  ]);
  return { kubelet, kubeadm, kubectl };
}

/** What a definition of nodes needs beside their names. */
export interface TestCluster {
  infra: string;
  build: KubernetesBuild;
  server: KubernetesServer;
  binaries: Awaited<ReturnType<typeof binariesOf>>;
  config?: Record<string, unknown>;
}

/** Returns the definition of a cluster whose nodes pull images from the test's registry. Control planes also run workloads. */
export function defineNodes({ infra, build, server, binaries, config = {} }: TestCluster, nodes: readonly TestNode[]) {
  const registries = ['registry.k8s.io', 'ghcr.io', 'k8s.local'];
  const containerd = {
    name: 'containerd',
    config: {
      systemdCgroup: false,
      sandboxImage: 'registry.k8s.io/pause:3.10.2',
      mirrors: registries.map((registry) => ({ registry, endpoints: [server.registry] })),
    },
  };
  const servers = nodes.map(({ name, role, config: own = {} }): Written['servers'][number] => ({
    name,
    plan: '2cpu-3gb',
    volumes: [{ name: 'images', size: '10 GiB', mount: '/var/lib/containerd' }] as never,
    taskservs: [
      containerd,
      {
        name: 'kubernetes',
        version: build.version,
        config: { ...(role ? { role } : { workloads: true }), binaries, ...config, ...own },
      },
    ],
  }));
  return definitionOf({ infra, provider: 'local', servers, mirrors: server.mirrors } as Written);
}

/** Returns a shell on a control plane in which `kubectl` works. */
export const kubeOn = (infra: string, name: string): HostShell => {
  const shell = shellOf(infra, name);
  return (script) => shell(`export KUBECONFIG=/etc/kubernetes/admin.conf\n${script}`);
};

/** Names of the control groups of hosts, as a node in a container makes them: `kube-a-3f2a81c0`. */
export async function groupsOf(infra: string, names: readonly string[]): Promise<string[]> {
  return Promise.all(
    names.map(async (name) => `kube-${await shellOf(infra, name)('printf %s-%s "$(hostname)" "$(cut -c 1-8 /etc/machine-id)"')}`),
  );
}

/** Removes control groups of hosts that are gone. A host's own are beside those of the Docker Engine, and outlive it. */
export async function removeGroups(groups: readonly string[]): Promise<void> {
  for (const group of groups)
    await run('bash', [
      '-c',
      `for each in /sys/fs/cgroup/*/"$1" /sys/fs/cgroup/"$1"; do if [ -d "$each" ]; then find "$each" -depth -type d -exec rmdir {} + || true; fi; done`,
      'bash',
      group,
    ]);
}

/** A workload on each node, and a service in front of it. */
export const HELLO = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'hello', namespace: 'default' },
      spec: {
        selector: { matchLabels: { app: 'hello' } },
        template: {
          metadata: { labels: { app: 'hello' } },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                name: 'hello',
                image: 'k8s.local/hello:1',
                ports: [{ containerPort: 8080 }],
                readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 2 },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'hello', namespace: 'default' },
      spec: { type: 'NodePort', selector: { app: 'hello' }, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] },
    },
  ],
});
