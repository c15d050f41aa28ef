import { isGrpcServiceError, type Client as Temporal } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import { translateFault } from './fault.js';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** gRPC's status of a workflow that does not exist. */
const NOT_FOUND = 5;

/**
 * Returns the platform's search attributes of a workflow, without its memo, which may come from a stranger; undefined
 * for an unknown workflow.
 */
export async function attributesOfWorkflow(
  { workflowService, options: { namespace } }: Pick<Temporal, 'workflowService' | 'options'>,
  workflowId: string,
): Promise<Partial<Record<Name, string>> | undefined> {
  const found = await workflowService
    .describeWorkflowExecution({ namespace, execution: { workflowId } })
    .catch((error: unknown) => {
      if (isGrpcServiceError(error) && error.code === NOT_FOUND) return undefined;
      throw translateFault(error, workflowId);
    });
  if (!found) return undefined;
  const fields = found.workflowExecutionInfo?.searchAttributes?.indexedFields ?? {};
  return Object.fromEntries(
    Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, key]) => {
      const value = textIn(fields[key]?.data);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Parses a keyword, as JSON: a text, or a list with one text. */
function textIn(data: Uint8Array | null | undefined): string | undefined {
  try {
    const value = [JSON.parse(Buffer.from(data ?? []).toString('utf8')) as unknown].flat()[0];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
