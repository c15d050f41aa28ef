import { type AgreeingServer, type Agreement, type Disagreement, rangesOverlap } from '../../sdk/index.js';
import type { KubernetesConfig } from './kubernetes-config.js';

/** Reports servers of one cluster whose settings do not fit together. It changes no configuration. */
export function agree(on: readonly AgreeingServer<KubernetesConfig>[]): Agreement<KubernetesConfig> {
  const clusters = new Map<string, AgreeingServer<KubernetesConfig>[]>();
  for (const one of on) clusters.set(one.config.cluster, [...(clusters.get(one.config.cluster) ?? []), one]);
  const alike = [
    'port',
    'podNetwork',
    'serviceNetwork',
    'domain',
    'imageRepository',
    'network',
    'networkImage',
    'proxyMode',
  ] as const;
  const disagreements = [...clusters].flatMap(([name, members]): Disagreement[] => {
    const [first] = members;
    if (!first) return [];
    const worker = first.config.role === 'worker' ? first : undefined;
    return [
      ...(worker
        ? [
            {
              ...{ server: worker.server, at: ['role'], message: `the first server of the cluster "${name}" is a worker` },
              suggestion: 'name a control plane before the workers: it founds the cluster',
            },
          ]
        : []),
      ...members.flatMap((one) =>
        alike
          .filter((key) => one.config[key] !== first.config[key])
          .map((key) => ({
            ...{ server: one.server, at: [key], message: `${key} differs from that of "${first.server}" in the same cluster` },
            suggestion: 'write one entry for all servers of the cluster, and only the role apart',
          })),
      ),
      ...members.flatMap(({ server, networkRange, config }) =>
        (['podNetwork', 'serviceNetwork'] as const)
          .filter((key) => networkRange !== undefined && rangesOverlap(config[key], networkRange))
          .map((key) => ({
            ...{ server, at: [key], message: `${config[key]} overlaps the network of the servers, ${networkRange}` },
            suggestion: 'choose a network that no server has',
          })),
      ),
    ];
  });
  return { configs: on.map(({ config }) => config), disagreements };
}
