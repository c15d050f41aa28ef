import type { Definition } from '../core/definition/definition.js';
import type { Inventory } from '../core/infra/inventory.js';
import type { By } from '../core/operation/control.js';
import type {
  Decision,
  Holder,
  OperationKind,
  OperationRequest,
  OperationResult,
  OperationStatus,
  Progress,
  Waiter,
} from '../core/operation/operation.js';

import type { BatchClient, CloudsClient, OrphansClient } from './parts.js';

/** One row of `workflow list`. */
export interface OperationSummary {
  operation: string;
  kind: OperationKind;
  infra: string;
  status: OperationStatus;
  /** ISO times. */
  started: string;
  ended?: string;
  actor: string;
  /** What it waits for, in words. */
  waiting?: string;
}

/** What `follow` yields. The last event is `end`, or `waiting` when a person is needed. */
export type OperationEvent =
  | { type: 'progress'; progress: Progress }
  | { type: 'waiting'; progress: Progress }
  | { type: 'end'; result: OperationResult };

/** One piece of a log: what a unit of an operation printed on its host. */
export interface LogEntry {
  server: string;
  taskserv: string;
  text: string;
}

/**
 * Everything that can be asked of the platform. All front doors go through it.
 * Throws ProvisioningError: `engine-not-running` (unreachable) where no engine
 * answers, `unknown-operation` and `unknown-infra` (input).
 */
export interface Client extends BatchClient, CloudsClient, OrphansClient {
  /**
   * Starts an operation; returns at once. An id that was used before is refused.
   * Without a worker it throws `no-worker` (unreachable), and nothing is left that
   * would run later; with `queue` it is kept for the next worker, and `queued` says so.
   */
  submit(request: OperationRequest, options?: { queue?: boolean }): Promise<{ operation: string; queued?: true }>;
  /** Live events until the operation ends or waits for a person. Adds nothing to its history. */
  follow(operation: string, options?: { signal?: AbortSignal }): AsyncIterable<OperationEvent>;
  /** Waits for the end. */
  result(operation: string): Promise<OperationResult>;
  /** Where it stands now; works for ended operations too. */
  progress(operation: string): Promise<Progress>;
  /**
   * Asks it to stop after the current step; what it did is handled by its on-failure
   * policy. Like all that follows refused with an input error that says why:
   * `not-running`, `already-stopping`.
   */
  cancel(operation: string, actor: string, why?: string): Promise<void>;
  /** Gives up what is at hand while it stops or takes back; it is named as left. Refused: `not-stopping`. */
  force(operation: string, by: By): Promise<void>;
  /** Begins nothing new until it is resumed; scripts on hosts stop between two steps. Refused: `already-paused`. */
  pause(operation: string, by: By): Promise<void>;
  /** Refused: `not-paused`. */
  resume(operation: string, by: By): Promise<void>;
  /** Answers an operation that waits for an approval. Refused: `not-waiting`. */
  approve(operation: string, verdict: By & { approved: boolean }): Promise<void>;
  /**
   * Answers an operation that waits after a failure; `retry` may bring another
   * definition. Refused: `not-waiting`, `cannot-skip`, `no-input-taken`, and what is
   * wrong with the definition.
   */
  decide(operation: string, decision: Decision, actor: string, more?: { why?: string; definition?: Definition }): Promise<void>;
  /** The request an operation was started with: for `workflow retry`. */
  request(operation: string): Promise<OperationRequest>;
  list(filter?: { workspace?: string; infra?: string; limit?: number }): Promise<OperationSummary[]>;
  /** Names of the infras of a workspace that exist. */
  infras(workspace: string): Promise<string[]>;
  /** What exists; undefined for an unknown infra. */
  inventory(workspace: string, infra: string): Promise<Inventory | undefined>;
  locks(workspace: string, infra: string): Promise<{ holders: Holder[]; waiters: Waiter[] }>;
  /** What the hosts printed while an operation ran. */
  logs(operation: string, filter?: { server?: string; taskserv?: string }): Promise<LogEntry[]>;
  /** The public key that opens an infra's hosts, made on first use: for `authorized_keys` of machines that exist already. */
  publicKey(workspace: string, infra: string): Promise<string>;
  /** Fixes the host key (`ssh-ed25519 AAAA…`) that a server of an infra must show. */
  pinHostKey(workspace: string, infra: string, server: string, key: string): Promise<void>;
  /** Forgets the pinned host key of a server whose machine was made again: the next one seen is pinned. */
  forgetHostKey(workspace: string, infra: string, server: string): Promise<void>;
  /** Releases connections; the client cannot be used after. */
  close(): Promise<void>;
}
