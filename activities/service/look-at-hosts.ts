import { messageOf, ProvisioningError } from '../../core/errors.js';
import type { Connection } from '../../core/machine/provider.js';
import { type HostStatus, healthIn, type ServiceStatus } from '../../core/operation/host-status.js';
import type { GroupStatus } from '../../core/taskserv/groups/group-status.js';
import { limitTime } from '../within-time.js';
import type { DecidedService, DecideInput, See } from './decide.js';

/** A host that is there, and what is asked of it. */
export type HostToLookAt = Omit<DecideInput, 'scope' | 'remove' | 'connection'> & { connection: Connection };

interface LookAtHostsInput extends Pick<DecideInput, 'scope'> {
  hosts: HostToLookAt[];
  /** Milliseconds that each host may take. */
  withinMs: number;
  /** Also ask each host for newer packages of its archive. */
  archive?: true;
}

/**
 * Looks at hosts in parallel and returns the state of each. It changes nothing and takes no lock, so it sees running
 * changes as they are at that moment. A host that cannot be looked at is reported with the reason.
 */
export function createLookAtHosts(see: See) {
  return async function lookAtHosts({ scope, hosts, withinMs, archive }: LookAtHostsInput): Promise<HostStatus[]> {
    // A hanging probe is reported, and does not delay the whole host.
    const probeSeconds = Math.max(1, Math.floor((withinMs * 3) / 5_000));
    const look = async (host: HostToLookAt): Promise<HostStatus> => {
      const server = host.server.name;
      try {
        const { decided, statuses = {} } = await limitTime(withinMs, () =>
          see({ ...host, scope, remove: [], ...(archive && { archive }) }, probeSeconds),
        );
        const hostKey = decided[0]?.hostKey;
        return { server, services: decided.map((one) => statusOf(one, statuses[one.taskserv])), ...(hostKey && { hostKey }) };
      } catch (error) {
        return { server, why: error instanceof ProvisioningError ? error.details.why : messageOf(error) };
      }
    };
    return Promise.all(hosts.map(look));
  };
}

/** Only the titles of steps: the steps may be large, and are not executed. */
function statusOf(decided: DecidedService, group: GroupStatus | undefined): ServiceStatus {
  const { taskserv, installed, newer, why, steps } = decided;
  return {
    taskserv,
    state: healthIn(decided),
    ...(installed !== undefined && { installed }),
    ...(newer && { newer }),
    ...(why !== undefined && { why }),
    ...(steps.length > 0 && { steps: steps.map(({ title }) => title) }),
    ...(group && { group }),
  };
}
