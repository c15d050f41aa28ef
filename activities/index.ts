import { HOSTS, providerIn } from '../core/operation/rate-limits.js';
import { createAct } from './act.js';
import { createBatchActivities } from './batch.js';
import { beating } from './beating.js';
import { createFindCompensations } from './compensations-of.js';
import { createDecide } from './decide.js';
import type { Dependencies } from './dependencies.js';
import { createPlanDrains } from './drains.js';
import { createDriftActivities } from './drift.js';
import { createEntityActivities } from './entity.js';
import { translated } from './failures.js';
import { createOrphanActivities } from './orphans.js';
import { onOwnQueue } from './own-queue.js';
import { createPause } from './pause.js';
import { createPowerActivities } from './power.js';
import { providerConnections } from './provider-connections.js';
import { createProviderQuestions } from './provider-questions.js';
import { createServerActivities } from './servers.js';
import { createVerify } from './verify.js';

/** Every touch of the world that workflows ask for, made from what it needs. */
export function createActivities(dependencies: Dependencies) {
  const { limits } = dependencies;
  const shared = { ...dependencies, connectionOf: providerConnections(dependencies) };
  const ofProvider = (input: Parameters<typeof providerIn>[0]) => limits?.get(providerIn(input))?.queue;
  const ofHosts = () => limits?.get(HOSTS)?.queue;
  const { forgetKeys, ...servers } = createServerActivities(shared);
  return translated({
    ...beating({
      ...onOwnQueue({ decide: createDecide(shared) }, ofHosts),
      ...onOwnQueue(servers, ofProvider),
      ...onOwnQueue(createPowerActivities(shared), ofProvider),
      ...onOwnQueue({ ...createProviderQuestions(shared) }, ofProvider),
      ...createOrphanActivities(shared),
      ...createDriftActivities(shared),
      forgetKeys,
      findCompensations: createFindCompensations(shared),
    }),
    planDrains: createPlanDrains(shared),
    ...onOwnQueue({ verify: createVerify(shared), ...createAct(shared) }, ofHosts),
    pause: createPause(shared),
    ...createEntityActivities(dependencies),
    ...createBatchActivities(dependencies, servers.planServers),
  });
}

/** The activities by name, for workflows: types only. */
export type Activities = ReturnType<typeof createActivities>;
