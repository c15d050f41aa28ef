import { ActivityCancellationType, type ActivityOptions, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { ImportReport, ImportRequest } from '../../core/operation/drift.js';
import type {} from '../fence.js';
import { lockInfra } from '../infra/locked.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { createRefusal } from '../operation/failures.js';
import { stoppable } from './stoppable.js';

const times: ActivityOptions = { startToCloseTimeout: 2 * 60_000, patienceMs: 5 * 60_000, heartbeatTimeout: 15_000 };
const { findImport } = proxyActivities<Activities>(times);
const { adoptServer } = proxyActivities<Activities>({
  ...times,
  changes: true,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
const { askNewInfra } = proxyActivities<Activities>({ startToCloseTimeout: 60_000 });

/** Adds an existing server to an infra. A missing infra begins with it. */
export function importServer(request: ImportRequest): Promise<ImportReport> {
  refuseBadRequest('importServer', request);
  return stoppable('import the server', request.name, () => adopt(request));
}

async function adopt(request: ImportRequest): Promise<ImportReport> {
  const { workspace, infra, name, provider } = request;
  const found = await findImport(request);
  if (request.check) return found;
  await lockInfra(
    { ...request, alone: true },
    async (inventory, remember, under) => {
      const there = inventory.servers[name];
      if (there && !(there.id === found.id && there.provider === provider)) {
        const why = `the infra "${infra}" already has a server of this name`;
        throw createRefusal({
          code: 'name-taken',
          what: 'import the server',
          on: name,
          why,
          hint: 'choose another name with --name',
        });
      }
      const scope = { workspace, infra, uuid: inventory.uuid };
      const key = `${workflowInfo().workflowId}/server/${name}/1`;
      const server = await adoptServer.executeWithOptions({ summary: `Import ${name} from ${provider}`, under }, [
        { request, scope, network: infra, key },
      ]);
      remember({ change: 'server', server: { ...server, services: there?.services ?? {} } });
    },
    (lock) => askNewInfra({ workspace, infra, request: lock }),
  );
  return { ...found, imported: true };
}
