import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type * as z from 'zod';
import type { SealedMessage } from '../../core/encoding/sealed-message.js';
import type { BatchMark, BatchRow, BatchState } from '../../core/operation/batch.js';
import type { batchFile } from '../../core/schema/batch.js';
import type { definitionFile } from '../../core/schema/definition.js';
import { type BatchPlan, loadBatch } from '../../definition/batch/load-batch.js';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import type { TestEngine } from './engine.js';
import { eventually } from './operations.js';

type Written = Omit<z.input<typeof batchFile>, 'batch'>;

/** Returns the plan of a batch file with this content, beside definitions with these names. */
export async function batchOf(
  name: string,
  file: Written,
  definitions: Record<string, z.input<typeof definitionFile>> = {},
): Promise<BatchPlan> {
  const folder = await mkdtemp(join(tmpdir(), 'batch-'));
  try {
    for (const [path, definition] of Object.entries(definitions)) await writeFile(join(folder, path), JSON.stringify(definition));
    await writeFile(join(folder, 'batch.json'), JSON.stringify({ batch: name, ...file }));
    const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>() };
    const { plan, problems } = await loadBatch(join(folder, 'batch.json'), options);
    if (plan) return plan;
    throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns a definition of bare servers in the demo account. */
export const farm = (infra: string, names: string[]) => ({ infra, provider: 'demo', servers: names.map((name) => ({ name })) });

/** Returns the operation that creates one server of `farm.json`, by its name. */
export const server = (name: string, more: object = {}) => ({
  name,
  kind: 'server' as const,
  file: 'farm.json',
  servers: [name],
  ...more,
});

/** Returns a failure that no retry can fix. */
export const refuses = (name: string, times = 99) => ({ verb: 'servers.create', name, times, error: 'user' as const });

let count = 0;

/** Starts a batch and returns its id. */
export async function submitBatch(engine: TestEngine, plan: BatchPlan): Promise<string> {
  const id = `batch-${plan.name}-${process.pid}x${++count}`;
  const timing = { retryMs: 50, heartbeatMs: 5_000, ...plan.timing };
  const submission = { ...plan, id, workspace: 'default', actor: 'tester', timing };
  return (await (await engine.client()).batches.submit(submission)).batch;
}

/** Runs a batch to its end. */
export async function runBatch(engine: TestEngine, plan: BatchPlan): Promise<BatchState> {
  return (await engine.client()).batches.result({ batch: await submitBatch(engine, plan) });
}

/** Returns its record by name, in short: `failed`, or `waiting: needs "a", which is running`. */
export async function recordOf(engine: TestEngine, id: string): Promise<Record<string, string>> {
  const rows = await (await engine.client()).batches.rows({ batch: id, limit: 20_000 });
  return Object.fromEntries(rows.map(({ name, mark, why }) => [name, why ? `${mark}: ${why}` : mark]));
}

/** Waits until an operation has this mark. */
export async function untilMark(engine: TestEngine, id: string, name: string, mark: BatchMark): Promise<BatchRow> {
  const client = await engine.client();
  return eventually(async () => {
    const row = (await client.batches.rows({ batch: id, limit: 20_000 })).find((one) => one.name === name);
    // The mark is set before the operation exists.
    if (row?.mark !== mark || (mark === 'running' && !row.operation)) throw new Error(`${name} is ${row?.mark}, not ${mark}`);
    return row;
  }, 60_000);
}

/** Returns the signals that a running or ended workflow received, in order, from its history. */
export async function signalsTo<T>(engine: TestEngine, workflow: string, name: string): Promise<T[]> {
  const { events } = await engine.temporal.workflow.getHandle(workflow).fetchHistory();
  return Promise.all(
    (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal?.signalName === name ? [firstOf<T>(engine, signal.input?.payloads)] : [],
    ),
  );
}

/** Returns the input with which a workflow was started. */
export async function inputOf<T>(engine: TestEngine, workflow: string): Promise<T> {
  const { events } = await engine.temporal.workflow.getHandle(workflow).fetchHistory();
  return firstOf<T>(engine, events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads);
}

async function firstOf<T>({ temporal, encryption, payloads: store }: TestEngine, payloads?: Payload[] | null): Promise<T> {
  const [first] = await encryption.codec(temporal.options.namespace, store, 'show').decode(payloads ?? []);
  return defaultPayloadConverter.fromPayload<SealedMessage>(first as Payload).args[0] as T;
}
