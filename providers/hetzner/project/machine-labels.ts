import type { CreateContext, ServerWanted } from '../../../sdk/index.js';
import { type Labels, ownLabels, packed, unpacked, userLabels } from './labels.js';

/** What a server says of itself, besides whose it is. */
export interface Said {
  image?: string;
  network?: string;
  /** Mounts by volume's name. */
  mounts: Record<string, string>;
  address?: 'reserved';
}

/** Labels of a server: what the API itself does not tell. */
export function serverLabels(wanted: ServerWanted, context: Pick<CreateContext, 'scope' | 'setup' | 'key'>): Labels {
  const mounts = Object.fromEntries(wanted.volumes.map(({ name, mount }) => [name, mount]));
  return {
    ...userLabels(wanted.labels),
    ...ownLabels('server', wanted.name, context),
    ...saidLabels({ image: wanted.image, network: wanted.network, mounts, address: wanted.address }),
  };
}

export function saidLabels({ image, network, mounts, address }: Said): Labels {
  return {
    ...(image ? packed('image', image) : {}),
    ...(network ? packed('network', network) : {}),
    ...(Object.keys(mounts).length > 0 ? packed('mounts', JSON.stringify(mounts)) : {}),
    ...(address ? packed('address', address) : {}),
  };
}

export function saidIn(labels: Labels): Said {
  const mounts = unpacked('mounts', labels);
  return {
    image: unpacked('image', labels),
    network: unpacked('network', labels),
    mounts: mounts ? readMounts(mounts) : {},
    address: unpacked('address', labels) === 'reserved' ? 'reserved' : undefined,
  };
}

/** A person can write anything into labels: what does not read counts as none. */
function readMounts(text: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
  } catch {
    return {};
  }
}
