import { createAct } from './act.js';
import { createBatchActivities } from './batch.js';
import { beating } from './beating.js';
import { createDecide } from './decide.js';
import { type Dependencies, providerConnections } from './dependencies.js';
import { createPlanDrains } from './drains.js';
import { createEntityActivities } from './entity.js';
import { translated } from './failures.js';
import { createOrphanActivities } from './orphans.js';
import { createPause } from './pause.js';
import { createServerActivities } from './servers.js';
import { createVerify } from './verify.js';

/** Every touch of the world that workflows ask for, made from what it needs. */
export function createActivities(dependencies: Dependencies) {
  const shared = { ...dependencies, connectionOf: providerConnections(dependencies.providers) };
  return translated({
    ...beating({ decide: createDecide(shared), ...createServerActivities(shared), ...createOrphanActivities(shared) }),
    planDrains: createPlanDrains(shared),
    verify: createVerify(shared),
    ...createAct(shared),
    pause: createPause(shared),
    ...createEntityActivities(dependencies),
    ...createBatchActivities(dependencies),
  });
}

/** The activities by name, for workflows: types only. */
export type Activities = ReturnType<typeof createActivities>;
