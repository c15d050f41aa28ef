import type { OperationKind } from '../../core/operation/operation.js';

/** Selection of operations. */
export interface OperationFilter {
  workspace?: string;
  infra?: string;
  kind?: OperationKind | undefined;
  actor?: string | undefined;
  /** Also the previews, of which each question and each `--check` makes one. */
  checks?: boolean;
  /** Selects only operations of this tenant. Absent: operations of all tenants. */
  tenant?: string | undefined;
  /** Further conditions of Temporal's list. They limit the tenant in the same way as `tenant`. */
  where?: readonly string[];
}
