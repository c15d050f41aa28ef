import type { Client as Temporal } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';

interface Infras {
  list(workspace: string): Promise<readonly string[]>;
  inventory(place: { workspace: string; infra: string }): Promise<object | undefined>;
}

/** Returns a Temporal that lists the entities of infras in the workspace `default` and answers for them. */
export function temporalOfInfras({ list, inventory }: Infras): Temporal {
  const execution = (infra: string) => ({
    execution: { workflowId: `infra/default/${infra}`, runId: 'r' },
    type: { name: 'infra' },
    ...{ status: 1, startTime: msToTs(1_000), taskQueue: 'q', historyLength: msToTs(1_000).seconds, searchAttributes: {} },
  });
  const query = (id: string) => async () => {
    const [, workspace = '', infra = ''] = id.split('/');
    return inventory({ workspace, infra });
  };
  return {
    options: { namespace: 'n', loadedDataConverter: undefined },
    workflowService: { listWorkflowExecutions: async () => ({ executions: (await list('default')).map(execution) }) },
    workflow: { getHandle: (id: string) => ({ query: query(id) }) },
  } as unknown as Temporal;
}
