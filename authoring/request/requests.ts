import type { Definition } from '../../core/definition/definition.js';
import type { ApprovalPoint } from '../../core/operation/control.js';
import type { Intent, OperationKind, OperationRequest } from '../../core/operation/operation.js';
import { operationId } from '../../core/operation-id.js';
import type { Context } from '../context.js';

/** Requested change of an infra. */
export interface Wish {
  kind: OperationKind;
  infra: string;
  intent: Intent;
  /** Default: the last applied definition. */
  definition?: Definition;
}

/** Options of an operation. Absent options follow the definition. */
export type RequestOptions = Pick<
  OperationRequest,
  'onFailure' | 'onTimeout' | 'priority' | 'update' | 'allowDestroy' | 'timing' | 'settings'
> & {
  /** Points at which it waits for an approval. */
  approve?: ApprovalPoint[];
};

/** Builds the request of a new operation, with a unique id. */
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
