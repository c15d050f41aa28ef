/** A number of hosts from 1 on, or a share of the hosts of their role, from `1%` to `100%`. */
export type Share = number | string;

/** How a share is written. */
export const SHARE = /^([1-9]\d?|100)%$/;

/** Declared settings of changes to servers in service. The others are inherited. */
export interface UpdateSettings {
  strategy?: 'rolling' | 'all-at-once';
  /** How many hosts of a role are one wave; the next begins when all of it is healthy. */
  batch?: Share;
  /** How many hosts of a role may be out of service at a time, those that were broken before included. */
  maxUnavailable?: Share;
  /** Wait for a person after a failure, whatever the on-failure policy says. */
  pauseOnFailure?: boolean;
}

/** Rules of changes to servers in service. First installations run all at once. */
export type UpdatePolicy = Required<UpdateSettings>;

/** A quarter at a time, and at least one: what Kubernetes does with a Deployment. */
const PRESET: Omit<UpdatePolicy, 'maxUnavailable'> = { strategy: 'rolling', batch: '25%', pauseOnFailure: false };

/** Settings laid over each other, the later the closer; as many may be out as a wave has, unless something says otherwise. */
export function updatePolicy(...layers: (UpdateSettings | undefined)[]): UpdatePolicy {
  const merged: typeof PRESET & UpdateSettings = { ...PRESET };
  for (const layer of layers)
    for (const [key, value] of Object.entries(layer ?? {})) if (value !== undefined) Object.assign(merged, { [key]: value });
  return { ...merged, maxUnavailable: merged.maxUnavailable ?? merged.batch };
}

/** How many of `size` a share is: rounded down, at least one. */
export function countShare(share: Share, size: number): number {
  const count = typeof share === 'number' ? share : Math.floor((size * Number.parseFloat(share)) / 100);
  return Math.max(1, Math.min(count, size));
}

/** Parts of at most this many, in order. */
export function splitIntoWaves<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < all.length; from += size) parts.push(all.slice(from, from + size));
  return parts;
}
