import type { PackageChange } from '../host/archive.js';

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
  /** What the host's archive has in place of its package; only where that was asked for. */
  newer?: PackageChange;
  /** Why it is not healthy. */
  why?: string;
  /** What the next `apply` would do for it: titles of steps. */
  steps?: string[];
}

/** How a host is now. One of `services`, `why` and `stopped` is there. */
export interface HostStatus {
  server: string;
  services?: ServiceStatus[];
  /** Why it could not be looked at. */
  why?: string;
  /** The operation that switched its machine off: nobody looks at it. */
  stopped?: string;
  /** Fingerprint of its key, which this look pinned as it was shown. */
  hostKey?: string;
}

/** What a look at a unit comes to. */
export function healthIn({ healthy, installed, steps }: Seen): ServiceHealth {
  if (healthy) return steps.length > 0 ? 'differs' : 'healthy';
  return installed === undefined && steps.length > 0 ? 'missing' : 'unhealthy';
}

interface Seen {
  healthy: boolean;
  installed?: string;
  steps: readonly unknown[];
}
