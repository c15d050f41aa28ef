import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientOptions, type WorkflowClientInterceptor } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../app/engine.js';
import { progressReader } from '../../app/operation/state.js';
import { createSealedClient, messageFor } from '../../app/temporal/sealed-client.js';
import type { Client as Platform } from '../../client/client.js';
import type { SealedMessage } from '../../core/encoding/sealed-message.js';
import type { Progress } from '../../core/operation/operation.js';
import { ANSWER_BYTES } from '../../core/operation/progress-parts.js';
import { LARGE } from '../../encryption/payload-codec.js';
import { status } from '../../workers/engine/status.js';
import { definitionOf, demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { largeFile } from '../support/large.js';
import { eventually, requestOf, submit, untilStatus } from '../support/operations.js';

const POLLS = 300;

type Connected = Required<Pick<ClientOptions, 'connection' | 'namespace'>>;

let engine: TestEngine;
let client: Platform;
let operation: string;

/** Returns every file of the payload store with its size. */
async function stored(): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  // The folder does not exist before its first file.
  for (const name of await readdir(engine.home.payloads, { recursive: true }).catch(() => [])) {
    const found = await stat(join(engine.home.payloads, name));
    if (found.isFile()) sizes[name] = found.size;
  }
  return sizes;
}

/** Returns the payload store after a while without new files, so that late files of other operations do not count. */
const settled = () =>
  eventually(async () => {
    const before = await stored();
    await sleep(500);
    const after = await stored();
    expect(after).toEqual(before);
    return after;
  });

beforeAll(async () => {
  engine = await startTestEngine();
  client = await engine.client();
  const definition = definitionOf(largeFile({ infra: 'large', servers: 60 }));
  operation = await submit(engine, { infra: 'large', definition });
  await eventually(async () => expect((await client.operations.progress({ operation })).plan.length).toBeGreaterThan(60));
  await client.operations.pause({ operation });
  await untilStatus(engine, operation, 'paused');
});
afterAll(() => engine?.stop());

test('an operation is asked as often as one likes, and nothing of its answers is stored', async () => {
  const handle = engine.temporal.workflow.getHandle(operation);
  const before = await stored();
  for (let poll = 0; poll < POLLS; poll++) {
    const { plan } = await handle.query<Progress>('progress');
    expect(plan.length).toBeGreaterThan(60);
  }
  await client.operations.progress({ operation });
  expect(await stored()).toEqual(before);
});

test('who reads again and again asks the operation only when something has happened', async () => {
  const { connection, namespace } = engine.temporal.options as Connected;
  let asked = 0;
  const counting: WorkflowClientInterceptor = {
    query(input, next) {
      asked++;
      return next(input);
    },
  };
  const temporal = createSealedClient(
    { connection, namespace, codec: engine.encryption.codec(namespace, engine.payloads) },
    counting,
  );
  const read = progressReader({ temporal } as Engine, operation);
  for (let look = 0; look < 40; look++) expect((await read()).status).toBe('paused');
  expect(asked).toBeLessThan(20);
  await client.operations.resume({ operation });
  expect((await read()).status).not.toBe('paused');
  await client.operations.pause({ operation });
  await untilStatus(engine, operation, 'paused');
  expect((await read()).status).toBe('paused');
});

test('much is answered in pages, and then what has changed', async () => {
  const { connection, namespace } = engine.temporal.options as Connected;
  const answers: number[] = [];
  const weighing: WorkflowClientInterceptor = {
    async query(input, next) {
      const answer = await next(input);
      answers.push(Buffer.byteLength(JSON.stringify(answer)));
      return answer;
    },
  };
  const temporal = createSealedClient(
    { connection, namespace, codec: engine.encryption.codec(namespace, engine.payloads) },
    weighing,
  );
  const whole = await engine.temporal.workflow.getHandle(operation).query<Progress>('progress');
  const before = await stored();
  const read = progressReader({ temporal } as Engine, operation);
  expect((await read()).plan).toEqual(whole.plan);
  const bytes = Buffer.byteLength(JSON.stringify(whole));
  expect(bytes).toBeGreaterThan(2 * ANSWER_BYTES);
  expect(answers.length).toBeGreaterThan(bytes / ANSWER_BYTES);
  expect(Math.max(...answers)).toBeLessThan(1.1 * ANSWER_BYTES);
  expect(await stored()).toEqual(before);
  answers.length = 0;
  await client.operations.resume({ operation });
  await client.operations.pause({ operation });
  await untilStatus(engine, operation, 'paused');
  expect((await read()).control.map(({ did }) => did).slice(-2)).toEqual(['resumed', 'paused']);
  expect(answers.length).toBe(1);
  expect(answers[0]).toBeLessThan(bytes / 10);
});

test('what is asked is not stored either', async () => {
  const before = await stored();
  const handle = engine.temporal.workflow.getHandle(operation);
  await handle.query('progress', randomBytes(2 * LARGE).toString('hex'));
  expect(await stored()).toEqual(before);
});

test('an answer of more than Temporal takes is one clear error, and the workflow goes on', async () => {
  const definition = demoDefinition('huge', { servers: [{ name: 'web', taskservs: ['nginx'] }] });
  Object.assign(definition.servers[0]?.taskservs[0]?.config as object, { page: randomBytes(12 * LARGE).toString('base64url') });
  const request = requestOf({ infra: 'huge', definition, check: true });
  const options = { workflowId: request.id, taskQueue: engine.taskQueue, args: [request] };
  const handle = await engine.temporal.workflow.start('cluster', options);
  await expect(handle.query('request')).rejects.toMatchObject({
    details: { code: 'too-large', what: 'read the answer "request"', on: request.id },
  });
  // Sign the cancel: an unsigned one asks for a decision. The operation must end, because the next test counts stored
  // payloads.
  await client.operations.cancel({ operation: request.id });
  await eventually(async () => expect((await handle.describe()).status.name).not.toBe('RUNNING'));
});

test('a client of a former build, which reads no such answers, is answered by the store', async () => {
  const before = await settled();
  const { connection, namespace } = engine.temporal.options as Connected;
  const dataConverter = { payloadCodecs: [engine.encryption.codec(namespace, engine.payloads)] };
  const former = new Client({ connection, namespace, dataConverter }).workflow.getHandle(operation);
  const { plan } = await former.query<Progress, [SealedMessage]>('progress', messageFor('query', 'progress', []));
  expect(plan.length).toBeGreaterThan(60);
  const after = await settled();
  // Temporal repeats a query whose answer is late, as on a busy machine. Then there are two files.
  expect(Object.keys(after).length).toBeGreaterThan(Object.keys(before).length);
  const bytes = Object.values(after).reduce((sum, size) => sum + size, 0);
  expect((await status(engine.home, { env: engine.env })).stored?.payloads).toEqual({ count: Object.keys(after).length, bytes });
});

test('how an operation ended is kept: its history is not asked again, and need not be there any more', async () => {
  const { workflowService } = engine.temporal;
  const { namespace } = engine.temporal.options as Connected;
  const forget = async (workflowId: string) => {
    await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
    // Temporal needs half a minute.
    await eventually(async () => {
      await expect(engine.temporal.workflow.getHandle(workflowId).describe()).rejects.toThrow();
    });
  };
  const definition = demoDefinition('kept', { servers: [{ name: 'web', taskservs: [] }] });
  const done = await submit(engine, { infra: 'kept', definition });
  const result = await client.operations.result({ operation: done });
  const progress = await client.operations.progress({ operation: done });
  expect(progress).toMatchObject({ ...result, status: 'done' });
  // The operation cannot report its end. The first query for its result stores it.
  await engine.temporal.workflow.getHandle(operation).terminate('out of the way');
  const ended = await client.operations.progress({ operation });
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'terminated' } });
  await Promise.all([forget(done), forget(operation)]);
  expect(await client.operations.progress({ operation: done })).toEqual(progress);
  expect(await client.operations.result({ operation: done })).toEqual(result);
  expect(await client.operations.progress({ operation })).toEqual(ended);
  await expect(client.operations.progress({ operation: 'none' })).rejects.toMatchObject({ details: { code: 'unknown-operation' } });
});
