import type { CreateContext, WantedServer } from '../../../sdk/index.js';
import { type Labels, ownLabels, packLabels, unpackLabels, userLabels } from './labels.js';

/** Properties of a server in its labels, apart from its owner. */
export interface LabelValues {
  image?: string;
  network?: string;
  /** Mounts by volume's name. */
  mounts: Record<string, string>;
  address?: 'reserved';
}

/** Returns the labels of a server, with properties that the API does not report. */
export function serverLabels(wanted: WantedServer, context: Pick<CreateContext, 'scope' | 'setup' | 'key'>): Labels {
  const mounts = Object.fromEntries(wanted.volumes.map(({ name, mount }) => [name, mount]));
  return {
    ...userLabels(wanted.labels),
    ...ownLabels('server', wanted.name, context),
    ...writeMachineLabels({ image: wanted.image, network: wanted.network, mounts, address: wanted.address }),
  };
}

export function writeMachineLabels({ image, network, mounts, address }: LabelValues): Labels {
  return {
    ...(image ? packLabels('image', image) : {}),
    ...(network ? packLabels('network', network) : {}),
    ...(Object.keys(mounts).length > 0 ? packLabels('mounts', JSON.stringify(mounts)) : {}),
    ...(address ? packLabels('address', address) : {}),
  };
}

export function readMachineLabels(labels: Labels): LabelValues {
  const mounts = unpackLabels('mounts', labels);
  return {
    image: unpackLabels('image', labels),
    network: unpackLabels('network', labels),
    mounts: mounts ? readMounts(mounts) : {},
    address: unpackLabels('address', labels) === 'reserved' ? 'reserved' : undefined,
  };
}

/** Users can write anything into labels: invalid mounts are ignored. */
function readMounts(text: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
  } catch {
    return {};
  }
}
