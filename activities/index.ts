import { HOSTS, providerIn } from '../core/operation/rate-limits.js';
import { createDecideAuthority } from './access/decide-authority.js';
import { createBatchActivities } from './batch/batch.js';
import { addHeartbeats } from './beating.js';
import type { Dependencies } from './dependencies.js';
import { createRemoveEnvironment } from './environment/remove-environment.js';
import { translateFailures } from './failures.js';
import { createFence } from './fence.js';
import { maskOfArguments } from './hidden.js';
import { createHosts } from './host/hosts.js';
import { createClosings } from './infra/closings.js';
import { createFindCompensations } from './infra/compensations-of.js';
import { createEntityActivities } from './infra/entity.js';
import { createFeedActivities } from './infra/feed.js';
import { createKeepRollback } from './infra/keep-rollback.js';
import { createHostRecordActivities } from './inquiry/host-records.js';
import { createLabelsActivities } from './inquiry/labels.js';
import { createDriftActivities } from './machine/drift.js';
import { createImportActivities } from './machine/import-server.js';
import { createOrphanActivities } from './machine/orphans.js';
import { routeToOwnQueue } from './machine/own-queue.js';
import { createPlanServers } from './machine/plan-servers.js';
import { createPowerActivities } from './machine/power.js';
import { providerConnections } from './machine/provider-connections.js';
import { createProviderQuestions } from './machine/provider-questions.js';
import { createServerReady } from './machine/server-ready.js';
import { createServerActivities } from './machine/servers.js';
import { createAct } from './service/act.js';
import { createDecide, createSee } from './service/decide.js';
import { createDecideHosts } from './service/decide-hosts.js';
import { createPlanDrains } from './service/drains.js';
import { createPlanLeave } from './service/leave.js';
import { createLookAtHosts } from './service/look-at-hosts.js';
import { createMoveData } from './service/move-data.js';
import { ownModulesIn } from './service/own-modules.js';
import { createPause } from './service/pause.js';
import { createGiveGroupShare } from './service/shares/group-share.js';
import { createPlanSwitchOver } from './service/switch-over.js';
import { createVerify } from './service/verify.js';

/** Every touch of the world that workflows ask for, made from what it needs. */
export function createActivities(dependencies: Dependencies) {
  const { limits } = dependencies;
  const connectionOf = providerConnections(dependencies);
  const ownAmong = ownModulesIn(dependencies);
  const shared = { ...dependencies, connectionOf, ownAmong, hostOf: createHosts({ ...dependencies, connectionOf }) };
  const closings = createClosings(dependencies.list, dependencies.taskQueue);
  const see = createSee(shared);
  const decide = createDecide(see);
  const ofProvider = (input: Parameters<typeof providerIn>[0]) => limits?.get(providerIn(input))?.queue;
  const ofHosts = () => limits?.get(HOSTS)?.queue;
  const { forgetKeys, ...machines } = createServerActivities(shared);
  const servers = { planServers: createPlanServers(shared), serverReady: createServerReady(shared), ...machines };
  return translateFailures(
    {
      ...addHeartbeats({
        ...routeToOwnQueue({ decide }, ofHosts),
        decideHosts: createDecideHosts(decide, () => ofHosts() !== undefined),
        ...routeToOwnQueue(servers, ofProvider),
        ...routeToOwnQueue(createPowerActivities(shared), ofProvider),
        ...routeToOwnQueue({ ...createProviderQuestions(shared) }, ofProvider),
        ...createOrphanActivities(shared),
        removeEnvironment: createRemoveEnvironment(shared),
        ...createDriftActivities(shared),
        ...createImportActivities(shared),
        ...createLabelsActivities(shared),
        ...createHostRecordActivities(shared),
        forgetKeys,
        lookAtHosts: createLookAtHosts(see),
        planLeave: createPlanLeave(shared),
        planSwitchOver: createPlanSwitchOver(shared),
        giveGroupShare: createGiveGroupShare(shared),
        ...createMoveData(shared),
        findCompensations: createFindCompensations(shared),
      }),
      decideAuthority: createDecideAuthority(dependencies.decideAuthority ?? (async () => ({}))),
      planDrains: createPlanDrains(shared),
      ...routeToOwnQueue({ verify: createVerify(shared), ...createAct(shared) }, ofHosts),
      pause: createPause(shared),
      keepRollback: createKeepRollback(dependencies.rollbacks),
      ...createEntityActivities(dependencies, closings),
      ...createFeedActivities(dependencies),
      ...createBatchActivities(dependencies, servers.planServers, closings),
    },
    createFence(dependencies.temporal),
    maskOfArguments(dependencies),
  );
}

/** The activities by name, for workflows: types only. */
export type Activities = ReturnType<typeof createActivities>;
