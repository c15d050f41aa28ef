import type { Drain } from '../../core/operation/to-undo.js';
import type { DrainTarget, HostContext, Peer } from '../../core/taskserv/taskserv.js';
import type { OwnAmong } from './own-modules.js';
import { findTaskserv } from './taskserv-of.js';

/** A service that passes requests on to others, as it was installed. */
export interface Balancer {
  server: string;
  role: string;
  memoryMiB: number;
  cores: number;
  taskserv: string;
  config: unknown;
  /** Content address of its code, where that is the workspace's own. */
  module?: string;
}

export interface PlanDrainsInput {
  /** Absent in inputs of former versions, which know no modules of workspaces. */
  workspace?: string;
  balancers: Balancer[];
  targets: DrainTarget[];
  /** As the balancers know them. */
  peers: Peer[];
  /** The same of the targets once they return, where that is something else. */
  returns?: Peer[];
}

/** Decides how each target is taken out of service and returned to it; asks no host, since configuration and peers say it all. */
export function createPlanDrains({ ownAmong }: { ownAmong: OwnAmong }) {
  return async function planDrains({ workspace = '', balancers, targets, peers, returns }: PlanDrainsInput): Promise<Drain[]> {
    const taskservs = await ownAmong(workspace, balancers);
    return targets.flatMap((target) =>
      balancers.flatMap((balancer): Drain[] => {
        const taskserv = findTaskserv(taskservs, balancer.taskserv, balancer.module);
        const { server: name, role, cores, memoryMiB, config } = balancer;
        const host: HostContext = { name, role, os: 'debian', arch: 'amd64', cores, memoryMiB };
        const drain = taskserv.drain?.(config, target, { host, peers }) ?? [];
        if (drain.length === 0) return [];
        const undrainWith = (more: { returns?: Peer[] }) => taskserv.undrain?.(config, target, { host, peers, ...more }) ?? [];
        const undrain = undrainWith(returns ? { returns } : {});
        const back = returns ? undrainWith({ returns: peers }) : undefined;
        return [{ target, server: name, taskserv: balancer.taskserv, drain, undrain, ...(back && { back }) }];
      }),
    );
  };
}
