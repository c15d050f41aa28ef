/** The request of the orchestrator's documents. */
export const CREATE = {
  infra: 'production',
  settings: './settings.yaml',
  servers: ['web-01', 'web-02'],
  check_mode: false,
  wait: true,
};

const resources = { cpu_millicores: 2000, memory_mb: 4096 };
/** Requests from the orchestrator's documents, unchanged. */
export const SINGLE = {
  config: { type: 'single_taskserv', taskserv: 'kubernetes', base_image: 'ubuntu:22.04', resources },
  ...{ auto_start: true, auto_cleanup: false },
};
export const SERVER = {
  config: {
    ...{ type: 'server_simulation', server_name: 'web-01', base_image: 'ubuntu:22.04' },
    taskservs: ['containerd', 'kubernetes', 'cilium'],
  },
  ...{ infra: 'prod-stack', auto_start: true },
};
export const CLUSTER = {
  config: {
    ...{ type: 'cluster_topology', cluster_type: 'kubernetes' },
    topology: {
      nodes: [
        { name: 'cp-01', role: 'controlplane', taskservs: ['etcd', 'kubernetes', 'containerd'], resources },
        {
          ...{ name: 'worker-01', role: 'worker', taskservs: ['kubernetes', 'containerd', 'cilium'] },
          resources: { cpu_millicores: 1000, memory_mb: 2048 },
        },
      ],
      network: { subnet: '172.30.0.0/16' },
    },
  },
  auto_start: true,
};
