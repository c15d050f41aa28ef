import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, type Connection, WorkflowNotFoundError } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { entityStart } from '../../../activities/infra/entity.js';
import { createSealedClient } from '../../../app/temporal/sealed-client.js';
import { listWorkflows, queryRunning } from '../../../app/temporal/visibility.js';
import { pack } from '../../../core/encoding/pack.js';
import type { EngineRecord } from '../../../core/engine/engine.js';
import { isOpen } from '../../../core/engine/is-open.js';
import { inputError } from '../../../core/errors.js';
import type { Inventory } from '../../../core/infra/inventory.js';
import { infraWorkflowId } from '../../../core/names.js';
import type { Reporter } from '../../../core/report.js';
import { decodeMessage } from '../../../encryption/decode-message.js';
import { isEncrypting, openEncryption } from '../../../encryption/open-encryption.js';
import { isBound } from '../../../encryption/payload-codec.js';
import type { Home } from '../../../home/home.js';
import { openStores } from '../../../stores/open-stores.js';
import { isAlive } from '../processes/process.js';
import { stopStrayWorkers, stopWorker } from '../processes/worker-process.js';
import { markSealedOnly } from '../temporal-service/sealed-only.js';
import { inventoryFromHistory } from './inventory-from-history.js';

/** Inventories on their way from the former to the present form, encrypted. */
const draftOf = (home: Home): string => join(home.engine, 'former-inventories');
const CONTEXT = 'former-inventories';
/** Maximum number of blocking operations that are named. */
const NAMED = 5;

/**
 * Moves the running workflows of a former version, before a worker starts that does not support them. Each infra
 * begins again with its inventory. A killed move continues where it was.
 *
 * @throws inputError `former-operations` while an operation or a batch of a former version runs
 */
export async function moveFormerHome(home: Home, record: EngineRecord, env: NodeJS.ProcessEnv, report: Reporter): Promise<void> {
  // Plain messages do not say which version wrote them.
  if (!isEncrypting(env)) return markSealedOnly(home);
  const { useService } = await import('../binary/versions-of-home.js');
  await useService(record, env, async (connection) => {
    const [encryption, stores] = await Promise.all([openEncryption(home, env), openStores(home, env)]);
    try {
      const { namespace } = record;
      const temporal = createSealedClient({ connection, namespace, codec: encryption.codec(namespace, stores.payloads) });
      // Checked both before the former worker is stopped, which may still be needed, and after.
      await formerInfras(temporal, connection, record);
      if (record.worker && isAlive(record.worker)) await stopWorker(record.worker);
      await stopStrayWorkers(home);
      const former = await formerInfras(temporal, connection, record);
      const draft = draftOf(home);
      const show = encryption.codec(namespace, stores.payloads, 'show');
      const known = await readFile(draft).catch(() => undefined);
      const inventories = known
        ? (JSON.parse((await encryption.cipher.open(known, CONTEXT)).toString('utf8')) as Inventory[])
        : await inventoriesOf(temporal, show, former);
      if (inventories.length > 0) {
        // Written before the first one is ended, because the data are nowhere else then.
        await writeFile(`${draft}.part`, encryption.cipher.seal(Buffer.from(JSON.stringify(inventories)), CONTEXT), {
          mode: 0o600,
        });
        await rename(`${draft}.part`, draft);
        const still = new Set(former.map(({ id }) => id));
        for (const inventory of inventories) await beginAnew(temporal, record.taskQueue, inventory, still);
        report({ task: 'engine', text: `moved ${inventories.length} infras over from a former version`, state: 'done' });
      }
      await markSealedOnly(home);
      await rm(draft, { force: true });
    } finally {
      await stores.close();
    }
  });
}

interface Former {
  id: string;
  runId: string;
  type: string;
}

/** @throws inputError `former-operations` */
async function formerInfras(temporal: Client, connection: Connection, record: EngineRecord): Promise<Former[]> {
  const former = await formerWorkflows(temporal, connection, record);
  const operations = former.filter(({ type }) => type !== 'infra');
  if (operations.length > 0) throw inTheWay(operations.map(({ id }) => id));
  return former;
}

/** Finds workflows on this home's queue that were not started by a sealed message. */
async function formerWorkflows(
  temporal: Client,
  connection: Connection,
  { namespace, taskQueue }: EngineRecord,
): Promise<Former[]> {
  const found: Former[] = [];
  for await (const { workflowId, runId, type } of listWorkflows(temporal, queryRunning(taskQueue))) {
    const { history } = await connection.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    const [payload] = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    if (payload && isBound(payload)) continue;
    // The list lags behind recent ends.
    const { status } = await temporal.workflow.getHandle(workflowId, runId).describe();
    if (isOpen(status.name)) found.push({ id: workflowId, runId, type });
  }
  return found;
}

async function inventoriesOf(temporal: Client, codec: PayloadCodec, former: readonly Former[]): Promise<Inventory[]> {
  const found: Inventory[] = [];
  for (const { id, runId } of former) {
    const { events } = await decodeMessage(codec, await temporal.workflow.getHandle(id, runId).fetchHistory());
    const inventory = inventoryFromHistory(events ?? []);
    if (inventory) found.push(inventory);
  }
  return found;
}

async function beginAnew(temporal: Client, taskQueue: string, inventory: Inventory, former: ReadonlySet<string>): Promise<void> {
  const { workspace, infra } = inventory;
  const id = infraWorkflowId(workspace, infra);
  if (former.has(id)) {
    const handle = temporal.workflow.getHandle(id);
    await handle.terminate('its inventory goes on in the form of this version').catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
  }
  const args = [{ workspace, infra, state: { packed: pack({ inventory }) } }];
  await temporal.workflow.start('infra', { ...entityStart(workspace, infra, taskQueue), args });
}

function inTheWay(operations: string[]) {
  const [count, one] = [operations.length, operations.length === 1];
  const named = operations.slice(0, NAMED).join(', ') + (count > NAMED ? `, and ${count - NAMED} more` : '');
  return inputError({
    code: 'former-operations',
    what: 'start a worker of this version',
    on: named,
    why: `${one ? 'it was' : 'they were'} begun by a former version, whose messages are no longer taken`,
    hint: 'let them end with the former version, or cancel them there, then run `provisioning up` again; docs/operate/security.md',
  });
}
