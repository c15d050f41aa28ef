import type { OperationSummary } from '../../app/schemas/operation.js';
import type { OperationStatus } from '../../core/operation/operation.js';

/** The states of the orchestrator's tasks. */
export type TaskState = 'Pending' | 'Running' | 'Completed' | 'Failed' | 'Cancelled';

/** The state of a task by the status of our operation; docs/operate/compat-api.md has the same table. */
export const TASK_STATES: Readonly<Record<OperationStatus, TaskState>> = {
  queued: 'Pending',
  running: 'Running',
  waiting: 'Running',
  paused: 'Running',
  done: 'Completed',
  failed: 'Failed',
  'rolled-back': 'Failed',
  canceled: 'Cancelled',
  superseded: 'Cancelled',
};

/** A task, as `/tasks` lists it. */
export interface Task {
  id: string;
  name: string;
  status: TaskState;
  created_at: string;
  completed_at: string | null;
  error: string | null;
}

const NAMES: Readonly<Record<string, string>> = {
  server: 'servers_create',
  taskserv: 'taskserv_create',
  cluster: 'cluster_create',
};

export const createTask = (
  { operation, kind, status, started, ended }: Pick<OperationSummary, 'operation' | 'kind' | 'status' | 'started' | 'ended'>,
  error?: string,
): Task => ({
  ...{ id: operation, name: NAMES[kind] ?? kind, status: TASK_STATES[status], created_at: started },
  ...{ completed_at: ended ?? null, error: error ?? null },
});
