import type { Definition } from '../../core/definition/definition.js';
import type { ApprovalPoint } from '../../core/operation/control.js';
import type { Intent, OperationKind, OperationRequest } from '../../core/operation/operation.js';
import { operationId } from '../../core/operation-id.js';
import type { Context } from '../context.js';

/** What is wanted of an infra. */
export interface Wish {
  kind: OperationKind;
  infra: string;
  intent: Intent;
  /** Absent: the one that was last applied. */
  definition?: Definition;
}

/** How it is to be done; what is absent follows the definition. */
export type RequestOptions = Pick<
  OperationRequest,
  'onFailure' | 'onTimeout' | 'priority' | 'update' | 'allowDestroy' | 'timing' | 'settings'
> & {
  /** Where it waits for an approval. */
  approve?: ApprovalPoint[];
};

/** The request of a new operation, with an id that was never used. */
export function buildRequest(
  { workspace, actor }: Pick<Context, 'workspace' | 'actor'>,
  wish: Wish,
  options: RequestOptions = {},
): OperationRequest {
  const { kind, infra, intent, definition } = wish;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    id: operationId(kind, intent.verb, infra),
    kind,
    workspace,
    infra,
    intent,
    ...(definition ? { definition } : {}),
    ...Object.fromEntries(given),
    actor,
  };
}
