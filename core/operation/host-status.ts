import type { PackageChange } from '../host/archive.js';
import type { GroupStatus } from '../taskserv/groups/group-status.js';

/**
 * How a service is on its host: `healthy` and as it was left; `differs`, it is healthy, and the next `apply` has
 * something to do for it; `unhealthy`; `missing`, it is not there.
 */
export type ServiceHealth = 'healthy' | 'differs' | 'unhealthy' | 'missing';

/** How a taskserv, or a built-in unit of a host, is now. */
export interface ServiceStatus {
  /** The name of the taskserv, or of the built-in unit (core/host/volumes-unit.ts). */
  taskserv: string;
  state: ServiceHealth;
  /** The version found on the host. */
  installed?: string;
  /** Newer package of the host's archive, if it was queried. */
  newer?: PackageChange;
  /** Why it is not healthy. */
  why?: string;
  /** Titles of the steps of the next `apply`. */
  steps?: string[];
  /** The group that it belongs to. */
  group?: GroupStatus;
}

/** How a host is now. One of `services`, `why` and `stopped` is there. */
export interface HostStatus {
  server: string;
  services?: ServiceStatus[];
  /** Why it could not be looked at. */
  why?: string;
  /** The operation that stopped its machine. Such a machine is not looked at. */
  stopped?: string;
  /** Fingerprint of its key, which this look pinned as it was shown. */
  hostKey?: string;
}

/** Health of a unit from a look. */
export function healthIn({ healthy, installed, steps }: Seen): ServiceHealth {
  if (healthy) return steps.length > 0 ? 'differs' : 'healthy';
  return installed === undefined && steps.length > 0 ? 'missing' : 'unhealthy';
}

interface Seen {
  healthy: boolean;
  installed?: string;
  steps: readonly unknown[];
}
