import { randomBytes } from 'node:crypto';
import type { Client as Temporal } from '@temporalio/client';
import type { OrphansClient } from '../../client/parts.js';
import { checkRequest } from '../../core/operation/check-request.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { orphans } from '../../workflows/index.js';
import { faultOf } from './fault.js';

/** Looking for orphans, and removing them, as a workflow: it goes on where the asker does not. */
export function orphansClient(temporal: Temporal, taskQueue: string): OrphansClient {
  return {
    async orphans(request) {
      checkRequest('orphans', request, { strict: true });
      const { workspace, actor, remove } = request;
      const workflowId = `orphans-${remove ? 'remove' : 'list'}-${workspace}-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`;
      try {
        return await temporal.workflow.execute<typeof orphans>('orphans', {
          workflowId,
          taskQueue,
          args: [request],
          staticSummary: remove
            ? `Remove ${remove.length} orphans of workspace ${workspace}`
            : `Look for orphans of workspace ${workspace}`,
          typedSearchAttributes: attributesFrom({ workspace, actor, kind: 'orphans' }),
        });
      } catch (error) {
        throw faultOf(error, workflowId);
      }
    },
  };
}
