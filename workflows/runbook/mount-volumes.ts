import { same } from '../../core/encoding/hash.js';
import { VOLUMES_UNIT } from '../../core/host/volumes-unit.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { ServerChange } from '../../core/operation/machine-plan.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { refuseUnplanned } from '../operation/held-to-plan.js';
import type { ActivityUser, AnyPhase, AttemptRunner } from '../operation/operation.js';
import { decideVolumes } from './decide-host.js';
import { runDrained } from './drained.js';
import { volumesOf } from './host-volumes.js';
import { noteRepairs } from './repairs.js';
import type { ServerDecision } from './server-decision.js';
import { type ActingOnHosts, actOn } from './service-phases.js';

export type MountingVolumes = ActingOnHosts & ActivityUser<'decide'> & AttemptRunner & AnyPhase;

/**
 * Brings the volumes of existing machines to the goals of their hosts. Volumes of new machines are mounted at their
 * first boot.
 *
 * @param before servers as recorded at the begin of the operation
 * @returns the servers with changes
 */
export async function mountVolumes(
  operation: MountingVolumes,
  work: WorkScope,
  changes: ServerChange[],
  decisions: ServerDecision[],
  before: Inventory['servers'],
): Promise<string[]> {
  const decided = new Map(
    decisions.flatMap(({ server, services }) => services.flatMap((one) => (one.taskserv === VOLUMES_UNIT ? [[server, one]] : []))),
  );
  const mount = async ({ server, action }: ServerChange): Promise<void> => {
    const changed = action === 'update';
    if (operation.stopped || !(changed || decided.has(server))) return;
    const spec = work.ensureServers.find(({ name }) => name === server);
    if (!spec) return;
    const look = async () => {
      const known = operation.inventory.servers[server];
      const volumes = volumesOf(spec, before[server], { action, devices: known?.devices }).filter(({ device }) => device);
      return volumes.length > 0 ? decideVolumes(operation, spec, known?.connection, volumes) : undefined;
    };
    const step = 'Mount the volumes';
    await operation.attempt({ step, on: `${server}/${VOLUMES_UNIT}` }, async (generation) => {
      const now = changed || generation > 1 ? await look() : decided.get(server);
      if (!now || now.steps.length === 0) return;
      if (generation > 1) refuseUnplanned(operation, { server, decided: now, peers: [] });
      const undo = await actOn(operation, work, server, now, generation);
      // They were wanted as they are: only the host had lost them.
      if (same(before[server]?.spec.volumes, spec.volumes)) noteRepairs(undo, { ...now, repairs: [...now.steps.keys()] });
      operation.continuation.settle(mountedOn(server));
      operation.show({ server, taskserv: VOLUMES_UNIT, state: 'done' });
    });
  };
  const once = (change: ServerChange) => operation.continuation.once(`volumes/${change.server}`, () => mount(change));
  await runDrained(changes.filter(({ action }) => action === 'update' || action === 'noop').map((change) => () => once(change)));
  return changes.flatMap(({ server }) => (operation.continuation.has(mountedOn(server)) ? [server] : []));
}

/** Mark of a server whose volumes were changed. */
const mountedOn = (server: string) => `mounted/${server}`;
