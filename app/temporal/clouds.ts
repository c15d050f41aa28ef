import { randomBytes } from 'node:crypto';
import type { Client as Temporal } from '@temporalio/client';
import type { CloudsClient } from '../../client/parts.js';
import { checkRequest } from '../../core/operation/check-request.js';
import type { ProviderAnswers, ProviderQuestion, ProviderTopic } from '../../core/operation/provider-questions.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { ask, importServer, refresh } from '../../workflows/index.js';
import { faultOf } from './fault.js';

/** Questions to clouds as workflows: asked by the worker, which has the credentials, within the limits of the accounts. */
export function cloudsClient(temporal: Temporal, taskQueue: string): CloudsClient {
  const once = () => `${Date.now().toString(36)}${randomBytes(3).toString('hex')}`;
  const start = async <T>(
    workflowId: string,
    run: (options: { workflowId: string; taskQueue: string }) => Promise<T>,
  ): Promise<T> => {
    try {
      return await run({ workflowId, taskQueue });
    } catch (error) {
      throw faultOf(error, workflowId);
    }
  };
  return {
    askProvider: async <T extends ProviderTopic>(question: ProviderQuestion<T>) => {
      checkRequest('ask', question, { strict: true });
      return start(`ask-${question.topic}-${question.provider.replace('/', '-')}-${once()}`, (options) =>
        temporal.workflow.execute<typeof ask>('ask', {
          ...options,
          args: [question],
          staticSummary: `Ask ${question.provider} for ${question.topic}`,
        }),
      ) as Promise<ProviderAnswers[T]>;
    },
    refresh: async (request) => {
      checkRequest('refresh', request, { strict: true });
      return start(`refresh-${request.workspace}-${request.infra}-${once()}`, (options) =>
        temporal.workflow.execute<typeof refresh>('refresh', {
          ...options,
          args: [request],
          staticSummary: `Compare the inventory of ${request.infra} with the clouds`,
          typedSearchAttributes: attributesFrom({ ...pick(request), kind: 'refresh' }),
        }),
      );
    },
    importServer: async (request) => {
      checkRequest('importServer', request, { strict: true });
      return start(`import-${request.workspace}-${request.infra}-${once()}`, (options) =>
        temporal.workflow.execute<typeof importServer>('importServer', {
          ...options,
          args: [request],
          staticSummary: `Import ${request.server} from ${request.provider} into ${request.infra}`,
          typedSearchAttributes: attributesFrom({ ...pick(request), kind: 'import' }),
        }),
      );
    },
  };
}

const pick = ({ workspace, infra, actor }: { workspace: string; infra: string; actor: string }) => ({ workspace, infra, actor });
