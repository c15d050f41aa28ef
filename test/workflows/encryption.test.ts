import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { Payload } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectDirectly } from '../../client/direct.js';
import type { EngineRecord } from '../../core/engine/engine.js';
import { decodeMessage } from '../../encryption/decode-message.js';
import { ensureKey } from '../../encryption/keys.js';
import { keyIdOfPayload } from '../../encryption/payload-codec.js';
import { homeOf } from '../../home/home.js';
import { principal } from '../../home/principal.js';
import { down } from '../../workers/engine/down.js';
import { readRecord } from '../../workers/engine/record.js';
import { up } from '../../workers/engine/up.js';
import { filesWith, newCanary, sightings } from '../support/canary.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import { letIn, startTestEngine, type TestEngine } from '../support/engine.js';
import { endAll, eventually, run, runWell, submit, untilStatus } from '../support/operations.js';

const canary = newCanary();
const shop = (page: string, count = 1) =>
  demoDefinition('shop', { servers: [{ name: 'web', count }], taskservs: [{ name: 'nginx', config: { page } }] });

/** Returns every payload of a message, with those of failures. */
function payloadsIn(value: unknown): Payload[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  if ('metadata' in value && typeof value.metadata === 'object' && 'encoding' in (value.metadata ?? {})) return [value as Payload];
  return Object.values(value).flatMap(payloadsIn);
}

describe('what Temporal keeps', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const historyOf = (operation: string) => engine.temporal.workflow.getHandle(operation).fetchHistory();
  const keysOf = async (operation: string) =>
    new Set(
      payloadsIn(await historyOf(operation))
        .map(keyIdOfPayload)
        .filter((key) => key !== undefined),
    );
  const rotate = async () => {
    const { code, stdout, stderr } = await provisioning(engine, ['encryption', 'rotate', '--json']);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as { key: string; former: string };
  };

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  beforeEach(() => account.behave({}));
  afterEach(() => endAll(engine));

  test('is ciphertext: every payload of a history, and nothing of a definition in the file', async () => {
    const { operation } = await runWell(engine, { infra: 'shop', definition: shop(canary) });
    const payloads = payloadsIn(await historyOf(operation));
    expect(payloads.length).toBeGreaterThan(20);
    // The only payloads that the server itself must read. They contain only names and states.
    const open = payloads.filter((payload) => keyIdOfPayload(payload) === undefined);
    const contentOf = ({ data }: Payload) => JSON.parse(Buffer.from(data ?? []).toString());
    // The SDK's record of a local activity, without the result: its number, name and times.
    const notes = open.map(contentOf).filter((content) => content.activity_type !== undefined);
    expect(notes.map(({ activity_type }) => activity_type)).toEqual(['noteStart', 'askNewInfra', 'keepRollback', 'awaitKept']);
    const noted = ['activity_id', 'activity_type', 'attempt', 'backoff', 'complete_time', 'original_schedule_time', 'seq'];
    for (const note of notes) expect(noted).toEqual(expect.arrayContaining(Object.keys(note)));
    // If a busy machine answers a request late, the operation asks again through a patch of its workflow. The SDK
    // records the id of the patch.
    const isOfPatch = (payload: Payload) =>
      payload.metadata?.type ? String(payload.metadata.type) === 'KeywordList' : contentOf(payload).deprecated === false;
    expect(open.filter(isOfPatch).flatMap((payload) => contentOf(payload).id ?? contentOf(payload))).toEqual(
      open.some(isOfPatch) ? ['ask-infra-again', 'ask-infra-again'] : [],
    );
    const inPlain = open.filter((payload) => contentOf(payload).activity_type === undefined && !isOfPatch(payload));
    expect(inPlain.map(({ metadata }) => String(metadata?.type)).filter((type) => type !== 'Keyword')).toEqual([]);
    const values = inPlain.flatMap(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()) as string | string[]);
    const known = ['default', 'shop', 'cluster', principal(), 'queued', 'running', 'done'];
    expect(values.filter((value) => !known.includes(value))).toEqual([]);
    expect(await filesWith(canary, engine.home.engine)).toEqual([]);
    const codec = engine.encryption.codec(engine.temporal.options.namespace, engine.payloads, 'show');
    const decoded = payloadsIn(await decodeMessage(codec, await historyOf(operation)));
    expect(decoded.some(({ data }) => Buffer.from(data ?? []).includes(canary))).toBe(true);
  });

  test('of a failure is ciphertext too, and the client still says why', async () => {
    await account.behave({ failures: [{ verb: 'servers.create', times: 1, error: 'user' }] });
    const failed = await run(engine, { infra: 'shop', definition: shop(canary, 2), onFailure: 'keep' });
    expect(failed.status).toBe('failed');
    expect(failed.error?.why).toContain('simulates a refusal');
    const { events } = await historyOf(failed.operation);
    const failures = (events ?? []).flatMap(({ activityTaskFailedEventAttributes: a, workflowExecutionFailedEventAttributes: w }) =>
      [a?.failure, w?.failure].filter((failure) => failure != null),
    );
    expect(failures.length).toBeGreaterThan(1);
    expect([...new Set(failures.map(({ message, stackTrace }) => `${message}|${stackTrace ?? ''}`))]).toEqual(['Encoded failure|']);
    expect(failures.every(({ encodedAttributes }) => encodedAttributes && keyIdOfPayload(encodedAttributes))).toBe(true);
  });

  test('large goes to the store, and the operation does not notice', async () => {
    const page = randomBytes(400 * 1024).toString('base64');
    const { operation } = await runWell(engine, { infra: 'shop', definition: shop(page) });
    const stored = (await readdir(engine.home.payloads, { recursive: true })).filter((name) => name.length > 64);
    expect(stored.length).toBeGreaterThan(0);
    const largest = Math.max(...payloadsIn(await historyOf(operation)).map(({ data }) => data?.length ?? 0));
    expect(largest).toBeLessThan(256 * 1024 + 1_000);
    expect((await (await engine.client()).operations.request({ operation })).definition).toEqual(shop(page));
    expect((await runWell(engine, { infra: 'shop', definition: shop(page) })).steps.executed).toBe(0);
  });

  test('is under a new key from a rotation on, in the middle of an operation and over the death of the worker', async () => {
    await account.behave({ latencyMs: { 'host.step': 700 } });
    const operation = await submit(engine, { infra: 'shop', definition: shop('a page', 2) });
    await untilStatus(engine, operation, 'running');
    await eventually(async () =>
      expect((await (await engine.client()).operations.progress({ operation })).steps.executed).toBeGreaterThan(0),
    );
    const { key, former } = await rotate();
    await eventually(async () => expect(await keysOf(operation)).toEqual(new Set([former, key])));
    await engine.killWorker();
    await engine.up();
    expect((await (await engine.client()).operations.result({ operation })).error).toBeUndefined();
    await account.behave({});
    const after = await runWell(engine, { infra: 'shop', definition: shop('another page', 2) });
    expect(await keysOf(after.operation)).toEqual(new Set([key]));
    const { stdout } = await provisioning(engine, ['encryption', 'status', '--json']);
    const { keys } = JSON.parse(stdout) as { keys: { id: string; current: boolean }[] };
    expect(keys.map(({ id, current }) => [id, current])).toEqual([
      [key, true],
      [former, false],
    ]);
    expect((await (await engine.client()).operations.progress({ operation })).status).toBe('done');
  });

  describe('without its key', () => {
    const stranger = () => homeOf({ PROVISIONING_HOME: `${engine.home.root}-stranger` });
    const strangerEnv = () => {
      const { PROVISIONING_HOME: _, ...rest } = engine.env;
      return rest;
    };

    test('is not read by a client: one error that names the key', async () => {
      const { operation } = await runWell(engine, { infra: 'shop', definition: shop(canary, 2) });
      await ensureKey({ folder: stranger().encryption, env: engine.env, setUp: async () => 'cafe' });
      const client = await connectDirectly((await readRecord(engine.home)) as EngineRecord, stranger(), engine.env);
      const error = await client.operations.request({ operation }).catch((thrown) => thrown);
      expect(error.details).toMatchObject({ code: 'unknown-encryption-key', on: `key ${engine.encryption.cipher.keyId}` });
      expect(error.details.hint).toContain('provisioning up');
      await client.close();
    });

    test('is not taken up by a worker: it does not start, and says which key it lacks', async () => {
      const { address, taskQueue, certificates } = (await readRecord(engine.home)) as EngineRecord;
      await runWell(engine, { infra: 'shop', definition: shop(canary, 2) });
      const env = {
        ...strangerEnv(),
        TEMPORAL_ADDRESS: address,
        PROVISIONING_NAMESPACE: 'provisioning',
        PROVISIONING_TASK_QUEUE: taskQueue,
        // Temporal accepts the client, but the client cannot read anything.
        ...letIn(certificates),
      };
      const error = await up(stranger(), { env }, () => {}).catch((thrown) => thrown);
      await down(stranger());
      expect(error.details).toMatchObject({ code: 'worker-start' });
      expect(error.message).toMatch(
        /cannot decrypt the payload: key \w+: it was encrypted with a key that this platform does not have/,
      );
      expect((await runWell(engine, { infra: 'shop', definition: shop(canary, 2) })).steps.executed).toBe(0);
    });
  });
});

/** Proves that the search of the other tests can find a canary. */
test('turned off, the same search finds the same canary', async () => {
  const engine = await startTestEngine({ PROVISIONING_ENCRYPTION: 'off' });
  try {
    const { operation } = await runWell(engine, { infra: 'shop', definition: shop(canary) });
    const found = await filesWith(canary, engine.home.engine);
    expect(found.some((line) => /^temporal\.db(-wal)?: raw$/.test(line))).toBe(true);
    const history = await engine.temporal.workflow.getHandle(operation).fetchHistory();
    expect(payloadsIn(history).map(keyIdOfPayload)).not.toContain(engine.encryption.cipher.keyId);
    expect(sightings(canary, Buffer.concat(payloadsIn(history).map(({ data }) => Buffer.from(data ?? []))))).toContain('raw');
  } finally {
    await engine.stop();
  }
});
