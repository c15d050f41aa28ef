import { randomUUID } from 'node:crypto';
import {
  type Client as Temporal,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionInfo,
  WorkflowFailedError,
  WorkflowIdReusePolicy,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { BatchClient } from '../../client/parts.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import type { BatchMark, BatchOperation, BatchRequest, BatchState, BatchStatus, BatchSummary } from '../../core/operation/batch.js';
import { batchOperationId, MARK_OF, MARKS } from '../../core/operation/batch.js';
import { rowsOf } from '../../core/operation/batch-rows.js';
import { carriedResult } from '../../core/operation/carried-result.js';
import { checkRequest } from '../../core/operation/check-request.js';
import type { By } from '../../core/operation/control.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { batch } from '../../workflows/index.js';
import { answerWithin, controlsOf, refusalIn } from '../temporal/control.js';
import { faultOf } from '../temporal/fault.js';
import { askingFault, checkKind } from '../temporal/right-kind.js';
import { attributeOf, whereIs } from '../temporal/visibility.js';
import { cutShort, eachOf, isOpen, knownWorkflows } from './cut-batch.js';
import { undoOf } from './undo-batch.js';

export interface BatchStores {
  putBlob(text: string): Promise<string>;
  getBlob(address: string): Promise<string>;
}

const PAGE = 500;
const PAGES_KEPT = 40;
/** Refused because it has ended. */
const isEnd = (error: unknown): boolean =>
  error instanceof ProvisioningError && ['not-running', 'already-stopping'].includes(error.details.code);
const ENDED: readonly BatchStatus[] = ['done', 'failed', 'rolled-back', 'canceled'];

/** The part of the client that is about batches. */
export function batchClient(temporal: Temporal, taskQueue: string, stores: BatchStores): BatchClient {
  const handleOf = (id: string) => temporal.workflow.getHandle<typeof batch>(id);
  const existing = knownWorkflows(temporal);
  const { cancel } = controlsOf(temporal);

  async function start(request: BatchRequest, before?: BatchState): Promise<{ batch: string }> {
    const { id, workspace, actor, name } = request;
    checkRequest('batch', request, { strict: true, on: id });
    try {
      await temporal.workflow.start('batch', {
        workflowId: id,
        taskQueue,
        args: before ? [request, before] : [request],
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        priority: { priorityKey: 1 },
        typedSearchAttributes: attributesFrom({ workspace, actor, kind: 'batch', status: 'running' }),
        staticSummary: `Batch ${name}: ${request.operations} operations`,
        staticDetails: `Asked for by **${actor}** in workspace **${workspace}**.\n\n- Follow it: \`provisioning batch follow ${id}\`\n- Its operations: \`provisioning batch status ${id}\``,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw faultOf(error, id);
      throw inputError({
        code: 'operation-exists',
        what: 'submit the batch',
        on: id,
        why: 'this id was used before',
        hint: `provisioning batch status ${id}`,
      });
    }
    return { batch: id };
  }

  async function update<T>(id: string, name: string, what: string, args: [T]): Promise<string> {
    await checkKind(temporal, id, 'batch', what);
    try {
      const updateId = randomUUID();
      return await answerWithin(temporal, id, what, () => handleOf(id).executeUpdate<string, [T]>(name, { args, updateId }));
    } catch (error) {
      if (error instanceof ProvisioningError) throw error;
      const refusal = error instanceof WorkflowUpdateFailedError ? refusalIn(error) : await endOf(id, name);
      if (!refusal) throw faultOf(error, id, 'batch');
      throw inputError({ ...refusal, what, on: id, hint: `provisioning batch status ${id}` });
    }
  }

  /** Says that it has ended, where it has. */
  async function endOf(id: string, name: string): Promise<{ code: string; why: string } | undefined> {
    const found = await handleOf(id)
      .describe()
      .catch(() => undefined);
    return found && found.status.name !== 'RUNNING'
      ? { code: name === 'cancel' ? 'not-running' : 'not-waiting', why: 'it has ended' }
      : undefined;
  }

  /** Cancels what goes on without its batch; answers how many operations. */
  async function stopRest({ batch, marks, again }: BatchState, by: By): Promise<number> {
    const alone = [...marks].flatMap((letter, index) => (letter === MARKS.running ? [index] : []));
    await eachOf(alone, async (index) => {
      const operation = batchOperationId(batch, index, again[index]);
      await cancel(operation, by.actor, by.why).catch((error) => {
        if (!isEnd(error)) throw error;
      });
    });
    return alone.length;
  }

  const read = new Map<string, Promise<BatchOperation[]>>();

  /** Who follows a batch asks twice a second: its pages never change, and are read once. */
  function pageAt(address: string): Promise<BatchOperation[]> {
    const known = read.get(address);
    if (known) return known;
    const page = stores.getBlob(address).then((text) => JSON.parse(text) as BatchOperation[]);
    page.catch(() => read.delete(address));
    read.set(address, page);
    if (read.size > PAGES_KEPT) read.delete(read.keys().next().value as string);
    return page;
  }

  const operationsOf = async ({ pages }: BatchState): Promise<BatchOperation[]> => (await Promise.all(pages.map(pageAt))).flat();

  const client: BatchClient = {
    async submitBatch({ operations, definitions, ...header }) {
      const addresses = new Map<string, string>();
      for (const [key, definition] of Object.entries(definitions)) {
        checkRequest('definition', definition, { strict: true, on: key });
        addresses.set(key, await stores.putBlob(JSON.stringify(definition)));
      }
      const rows: BatchOperation[] = operations.map((one) =>
        one.definition ? { ...one, definition: addresses.get(one.definition) } : one,
      );
      checkRequest('batchOperations', rows, { strict: true, on: header.id });
      const pages: string[] = [];
      for (let first = 0; first < rows.length; first += PAGE) {
        pages.push(await stores.putBlob(JSON.stringify(rows.slice(first, first + PAGE))));
      }
      const stages: number[] = [];
      for (const { stage } of operations) stages[stage] = (stages[stage] ?? 0) + 1;
      return start({ ...header, operations: rows.length, pageSize: PAGE, pages, stages });
    },

    async batch(id) {
      try {
        // Asked first: of one that has closed, the state is its last.
        const { status } = await handleOf(id).describe();
        const state = await handleOf(id).query<BatchState>('batch');
        return isOpen(status.name) || ENDED.includes(state.status) ? state : await cutShort(temporal, state, status.name);
      } catch (error) {
        throw await askingFault(temporal, error, id, 'batch');
      }
    },

    async batchRows(id, { from = 0, limit = 100, marks } = {}) {
      const state = await client.batch(id);
      const indices: number[] = [];
      for (let index = from; index < state.operations && indices.length < limit; index++) {
        if (!marks || marks.includes(MARK_OF[state.marks[index] as string] as BatchMark)) indices.push(index);
      }
      const rows = rowsOf(state, await operationsOf(state), indices);
      // What an operation is called is known before it is begun, and one that had done nothing is never taken back.
      const unsure = rows.flatMap(({ mark, operation, undo }) => [mark === 'done' ? [] : (operation ?? []), undo ?? []].flat());
      const known = await existing(unsure).catch((error) => Promise.reject(faultOf(error, id)));
      return rows.map(({ operation, undo, ...row }) => ({
        ...row,
        ...(operation && (row.mark === 'done' || known.has(operation)) && { operation }),
        ...(undo && known.has(undo) && { undo }),
      }));
    },

    async batches({ workspace, limit = 50 } = {}) {
      const terms = [whereIs('kind', 'batch')];
      if (workspace) terms.push(whereIs('workspace', workspace));
      const rows: BatchSummary[] = [];
      try {
        for await (const info of temporal.workflow.list({ query: terms.join(' AND '), pageSize: Math.min(limit, 100) })) {
          if (info.status.name === 'CONTINUED_AS_NEW') continue;
          rows.push({
            batch: info.workflowId,
            status: statusOf(info),
            actor: attributeOf(info, 'actor'),
            started: info.startTime.toISOString(),
            ended: info.closeTime?.toISOString(),
          });
          if (rows.length >= limit) break;
        }
      } catch (error) {
        throw faultOf(error, 'the list of batches');
      }
      return rows;
    },

    approveBatch: (id, by) => update(id, 'approve', 'approve the next stage', [by]),
    decideBatch: (id, decision, by) => update(id, 'decide', `answer "${decision}"`, [{ ...by, decision }]),
    async cancelBatch(id, by) {
      try {
        return await update(id, 'cancel', 'cancel', [by]);
      } catch (error) {
        const stopped = isEnd(error) ? await stopRest(await client.batch(id), by) : 0;
        if (stopped === 0) throw error;
        return `${stopped} operations that went on without the batch are canceled by ${by.actor}`;
      }
    },

    async rollbackBatch(id, newId, by) {
      const state = await client.batch(id);
      if (!ENDED.includes(state.status)) {
        const why = `it is still ${state.status}`;
        throw inputError({
          code: 'still-running',
          what: 'take the batch back',
          on: id,
          why,
          hint: `provisioning batch cancel ${id}`,
        });
      }
      await stopRest(state, by);
      const { request, before } = undoOf(state, newId, by);
      return start(request, before);
    },

    async batchResult(id) {
      try {
        return await handleOf(id).result();
      } catch (error) {
        if (!(error instanceof WorkflowFailedError)) throw faultOf(error, id, 'batch');
        const carried = carriedResult<BatchState>(error);
        if (carried) return carried;
        return client.batch(id);
      }
    },
  };
  return client;
}

/** As it says itself, unless it was ended without a word. */
function statusOf(info: WorkflowExecutionInfo): BatchStatus {
  const said = attributeOf(info, 'status') as BatchStatus;
  return isOpen(info.status.name) || ENDED.includes(said) ? said : 'failed';
}
