import {
  CancelledFailure,
  type Client as Temporal,
  TerminatedFailure,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Client, LogEntry, OperationEvent, OperationSummary } from '../../client/client.js';
import { thisHostRefused } from '../../core/definition/this-host.js';
import { type MaybePacked, opened } from '../../core/encoding/pack.js';
import { inputError, messageOf } from '../../core/errors.js';
import { waitWords } from '../../core/infra/claims.js';
import { type Inventory, isEmpty } from '../../core/infra/inventory.js';
import { infraWorkflowId, SEARCH_ATTRIBUTES } from '../../core/names.js';
import { carriedResult } from '../../core/operation/carried-result.js';
import { checkRequest } from '../../core/operation/check-request.js';
import type {
  Cell,
  Holder,
  OperationKind,
  OperationRequest,
  OperationResult,
  OperationStatus,
  Progress,
  Waiter,
} from '../../core/operation/operation.js';
import { detailsOf, summaryOf } from '../../core/operation/operation-summary.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { cluster } from '../../workflows/index.js';
import { type BatchStores, batchClient } from '../batch/batches.js';
import { bounded } from './bounded.js';
import { cloudsClient } from './clouds.js';
import { controlsOf } from './control.js';
import { asEnded, cutFault } from './cut-short.js';
import { endedMute } from './ended-mute.js';
import { faultOf } from './fault.js';
import { type Beat, beatsOf } from './heartbeats.js';
import { orphansClient } from './orphans.js';
import { askingFault } from './right-kind.js';
import { attributeOf, whereIs } from './visibility.js';

const KINDS: OperationKind[] = ['cluster', 'server', 'taskserv'];
/** An operation that ends sooner is never asked how it goes, in milliseconds. */
const FIRST_LOOK_MS = 700;
const LOOK_EVERY_MS = 400;

export interface TemporalClientOptions {
  temporal: Temporal;
  taskQueue: string;
  /** Whether the connection is a worker's own: operations then start without going through the queue. */
  besideWorker?: boolean;
  stores: Stores;
  /** Whether the worker beside it may work on its own machine; absent: the worker says so itself. */
  allowsThisHost?: () => Promise<boolean>;
}

/** What is kept beside Temporal, where the worker is. */
export interface Stores extends BatchStores {
  readLogs(operation: string): Promise<LogEntry[]>;
  publicKey(owner: { workspace: string; infra: string }): Promise<string>;
  pinHostKey(owner: { workspace: string; infra: string }, server: string, key: string): Promise<void>;
  forgetHostKey(owner: { workspace: string; infra: string }, server: string): Promise<void>;
}

/** The client on a connection to Temporal. */
export function temporalClient({
  temporal,
  taskQueue,
  besideWorker = false,
  stores,
  allowsThisHost,
}: TemporalClientOptions): Client {
  const handleOf = (operation: string) => temporal.workflow.getHandle<typeof cluster>(operation);
  const entityOf = (workspace: string, infra: string) => temporal.workflow.getHandle(infraWorkflowId(workspace, infra));

  const client: Client = bounded({
    ...batchClient(temporal, taskQueue, stores),
    ...orphansClient(temporal, taskQueue),
    ...cloudsClient(temporal, taskQueue),

    async submit(request) {
      checkRequest('operation', request, { strict: true, on: request.id });
      const { kind, workspace, infra, actor } = request;
      const here = request.definition?.servers.find(({ host }) => host?.kind === 'this');
      if (here && allowsThisHost && !(await allowsThisHost())) throw thisHostRefused(here.name);
      try {
        await temporal.workflow.start(request.kind, {
          workflowId: request.id,
          taskQueue,
          args: [request],
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
          requestEagerStart: besideWorker,
          // Its activities inherit it.
          ...(request.priority && { priority: { priorityKey: request.priority } }),
          typedSearchAttributes: attributesFrom({ kind, workspace, infra, actor, status: 'queued' }),
          staticSummary: summaryOf(request),
          staticDetails: detailsOf(request),
        });
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) {
          throw inputError({
            code: 'operation-exists',
            what: 'submit the operation',
            on: request.id,
            why: 'this id was used before',
            hint: `provisioning workflow status ${request.id}`,
          });
        }
        throw faultOf(error, request.id);
      }
      return { operation: request.id };
    },

    async *follow(operation, { signal } = {}) {
      let ended = false;
      const end = client.result(operation).finally(() => {
        ended = true;
      });
      end.catch(() => {});
      let last = '';
      await Promise.race([end.catch(() => {}), pause(FIRST_LOOK_MS)]);
      while (!ended && !signal?.aborted) {
        const progress = await client.progress(operation);
        const text = JSON.stringify(progress);
        if (text !== last) yield { type: 'progress', progress } satisfies OperationEvent;
        last = text;
        if (progress.status === 'waiting') {
          yield { type: 'waiting', progress };
          return;
        }
        await Promise.race([end.catch(() => {}), pause(LOOK_EVERY_MS)]);
      }
      if (!signal?.aborted) yield { type: 'end', result: await end };
    },

    async result(operation) {
      try {
        return await handleOf(operation).result();
      } catch (error) {
        if (!(error instanceof WorkflowFailedError)) throw faultOf(error, operation);
        const { cause } = error;
        const carried = carriedResult<OperationResult>(error);
        if (carried) return carried;
        const progress = await client.progress(operation);
        const { cells: _, waiting: __, question: ___, ...rest } = progress;
        if (cause instanceof CancelledFailure) return { ...rest, status: 'canceled' };
        if (cause instanceof TerminatedFailure) return rest;
        return { ...rest, status: 'failed', error: cutFault(operation, messageOf(cause ?? error)) };
      }
    },

    async progress(operation) {
      const handle = handleOf(operation);
      try {
        const [progress, description] = await Promise.all([handle.query<Progress>('progress'), handle.describe()]);
        if (progress.status === 'queued') progress.waiting = await waitOf(progress);
        const beats = await beatsOf(temporal, description);
        const seen = { ...progress, cells: progress.cells.map((cell) => withBeat(cell, beats)) };
        return asEnded(seen, description.status.name);
      } catch (error) {
        throw await askingFault(temporal, error, operation, 'operation');
      }
    },

    ...controlsOf(temporal),

    async request(operation) {
      return handleOf(operation)
        .query<OperationRequest>('request')
        .catch(async (error) => Promise.reject(await askingFault(temporal, error, operation, 'operation')));
    },

    async list({ workspace, infra, limit = 50 } = {}) {
      const terms = [`${SEARCH_ATTRIBUTES.kind} IN (${KINDS.map((kind) => `'${kind}'`).join(', ')})`];
      if (workspace) terms.push(whereIs('workspace', workspace));
      if (infra) terms.push(whereIs('infra', infra));
      const rows: OperationSummary[] = [];
      try {
        for await (const info of temporal.workflow.list({ query: terms.join(' AND '), pageSize: Math.min(limit, 100) })) {
          const row: OperationSummary = {
            operation: info.workflowId,
            kind: info.type as OperationKind,
            infra: attributeOf(info, 'infra'),
            status:
              info.status.name === 'TERMINATED'
                ? 'failed'
                : info.status.name === 'COMPLETED'
                  ? 'done'
                  : ((attributeOf(info, 'status') || 'running') as OperationStatus),
            started: info.startTime.toISOString(),
            ended: info.closeTime?.toISOString(),
            actor: attributeOf(info, 'actor'),
          };
          if (row.status === 'queued' || row.status === 'waiting' || row.status === 'paused')
            row.waiting = (await client.progress(row.operation).catch(() => undefined))?.waiting;
          rows.push(row);
          if (rows.length >= limit) break;
        }
      } catch (error) {
        throw faultOf(error, 'the list of operations');
      }
      return rows;
    },

    async infras(workspace) {
      const query = `${whereIs('kind', 'infra')} AND ${whereIs('workspace', workspace)} AND ExecutionStatus = 'Running'`;
      const names: string[] = [];
      try {
        for await (const info of temporal.workflow.list({ query })) names.push(info.workflowId.split('/').at(-1) ?? '');
      } catch (error) {
        throw faultOf(error, 'the list of infras');
      }
      return names.sort();
    },

    async inventory(workspace, infra) {
      try {
        const inventory = opened(await entityOf(workspace, infra).query<MaybePacked<Inventory>>('inventory'));
        return isEmpty(inventory) && !inventory.definition ? undefined : inventory;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError || (await endedMute(entityOf(workspace, infra), error))) return undefined;
        throw faultOf(error, `infra ${infra}`);
      }
    },

    async locks(workspace, infra) {
      try {
        return await entityOf(workspace, infra).query<{ holders: Holder[]; waiters: Waiter[] }>('locks');
      } catch (error) {
        const none = error instanceof WorkflowNotFoundError || (await endedMute(entityOf(workspace, infra), error));
        if (none) return { holders: [], waiters: [] };
        throw faultOf(error, `infra ${infra}`);
      }
    },

    async logs(operation, { server, taskserv } = {}) {
      const entries = await stores.readLogs(operation);
      return entries.filter((entry) => (!server || entry.server === server) && (!taskserv || entry.taskserv === taskserv));
    },

    publicKey: (workspace, infra) => stores.publicKey({ workspace, infra }),
    pinHostKey: (workspace, infra, server, key) => stores.pinHostKey({ workspace, infra }, server, key),
    forgetHostKey: (workspace, infra, server) => stores.forgetHostKey({ workspace, infra }, server),

    async close() {
      await temporal.connection.close();
    },
  });

  /** Says for what an operation in the queue waits. */
  async function waitOf({ operation, workspace, infra }: Progress): Promise<string> {
    const waiter = await entityOf(workspace, infra)
      .query<Waiter | undefined, [string]>('wait', operation)
      .catch(() => undefined);
    return waitWords(waiter);
  }

  return client;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function withBeat(cell: Cell, beats: Beat[]): Cell {
  const beat = beats.find((one) => one.server === cell.server && one.taskserv === cell.taskserv);
  return beat && cell.state === 'running'
    ? { ...cell, step: beat.step ?? cell.step, done: beat.done ?? cell.done, total: beat.total ?? cell.total }
    : cell;
}
