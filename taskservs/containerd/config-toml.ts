import { askAt, type ListenAddress, MANAGED_FILE_HEADER } from '../../sdk/index.js';

export interface ContainerdConfig {
  root: string;
  snapshotter: string;
  systemdCgroup: boolean;
  sandboxImage: string;
  cniBinaries: string;
  mirrors: { registry: string; endpoints: string[] }[];
  metricsPort?: number | undefined;
}

/** Folder of the images that the host already has. In another folder they would seem lost. */
export const rootOf = ({ root }: { root?: string | undefined }, former = ''): string =>
  root ?? /^root *= *["']((?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)["']/m.exec(former)?.[1] ?? '/var/lib/containerd';

const CRI = 'plugins."io.containerd.grpc.v1.cri"';

/** The content of config.toml. Texts are written as JSON, which TOML reads as it is. */
export function configToml(config: ContainerdConfig, listening: ListenAddress): string {
  const { root, metricsPort, mirrors } = config;
  const address = listening === 'all' ? '0.0.0.0' : askAt(listening);
  const table = (name: string, entries: Record<string, unknown>): string =>
    [`[${name}]`, ...Object.entries(entries).map(([key, value]) => `${key} = ${JSON.stringify(value)}`), ''].join('\n');
  return [
    MANAGED_FILE_HEADER,
    'version = 2',
    `root = ${JSON.stringify(root)}`,
    '',
    ...(metricsPort ? [table('metrics', { address: `${address}:${metricsPort}` })] : []),
    table('plugins."io.containerd.internal.v1.opt"', { path: `${root}/opt` }),
    // No process may get a better score than containerd itself: where it may not lower scores at all, containers would not start.
    table(CRI, { sandbox_image: config.sandboxImage, restrict_oom_score_adj: true }),
    table(`${CRI}.cni`, { bin_dir: config.cniBinaries, conf_dir: '/etc/cni/net.d' }),
    table(`${CRI}.containerd`, { snapshotter: config.snapshotter, default_runtime_name: 'runc' }),
    table(`${CRI}.containerd.runtimes.runc`, { runtime_type: 'io.containerd.runc.v2' }),
    table(`${CRI}.containerd.runtimes.runc.options`, { SystemdCgroup: config.systemdCgroup }),
    ...mirrors.map(({ registry, endpoints }) =>
      table(`${CRI}.registry.mirrors.${JSON.stringify(registry)}`, { endpoint: endpoints }),
    ),
  ].join('\n');
}
