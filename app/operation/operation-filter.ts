import type { OperationKind } from '../../core/operation/operation.js';

/** Whose operations are meant. */
export interface OperationFilter {
  workspace?: string;
  infra?: string;
  kind?: OperationKind | undefined;
  actor?: string | undefined;
  /** Also the previews, of which each question and each `--check` makes one. */
  checks?: boolean;
  /** The tenant whose operations alone are meant. Absent: those of all tenants. */
  tenant?: string | undefined;
  /** Further conditions of Temporal's list. They say of the tenant what `tenant` says. */
  where?: readonly string[];
}
