import { limitTime } from '../within-time.js';
import type { DecidedService, DecideInput } from './decide.js';

/** Milliseconds that a host may take here, of which none keeps the others waiting for longer. A look takes some hundred. */
const EACH_MS = 10_000;

interface DecideHostsInput {
  hosts: DecideInput[];
}

/**
 * Looks at several hosts, all side by side, and decides for each as `decide` does. Null for one that cannot be looked
 * at, or at whose state nothing can be decided: `decide` says why.
 *
 * @param oneByOne whether there is a limit of hosts in a time, which counts activities: then none is looked at here
 */
export function createDecideHosts(decide: (input: DecideInput) => Promise<DecidedService[]>, oneByOne: () => boolean) {
  return async function decideHosts({ hosts }: DecideHostsInput): Promise<(DecidedService[] | null)[]> {
    if (oneByOne()) return hosts.map(() => null);
    return Promise.all(hosts.map((host) => limitTime(EACH_MS, () => decide(host)).catch(() => null)));
  };
}
