import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../client/client.js';
import { connect } from '../../client/connect.js';
import type { ProcessMark, WorkerRecord } from '../../core/engine/engine.js';
import { down } from '../../workers/engine/down.js';
import { isAlive } from '../../workers/engine/processes/process.js';
import { readSupervisor } from '../../workers/engine/processes/supervisor-process.js';
import { readRecord } from '../../workers/engine/record.js';
import { status } from '../../workers/engine/status.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, demoAccount, doubled, serversIn } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { eventually, requestOf, type Wish } from '../support/operations.js';

const LONG_MS = 120_000;

describe('a supervised worker', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  beforeAll(async () => {
    engine = await startTestEngine({}, { supervise: true });
    account = demoAccount(engine);
  });
  afterAll(() => engine.stop());
  afterEach(() => account.behave({}));

  /** Queries on a separate connection, because the worker restarts. */
  async function ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    return eventually(async () => {
      const client = await connect({ home: engine.home, env: engine.env });
      return question(client).finally(() => client.close());
    }, LONG_MS);
  }
  const submit = async (wish: Wish) => {
    const request = requestOf(wish);
    await ask((client) => client.operations.submit({ request }));
    return request.id;
  };
  const result = (id: string) => ask((client) => client.operations.result({ operation: id }));
  const worker = async () => (await readRecord(engine.home))?.worker as WorkerRecord;
  const supervisor = async () => (await readSupervisor(engine.home)) as ProcessMark;
  const anotherThan = (former: ProcessMark) =>
    eventually(async () => {
      const now = await worker();
      expect([now.pid !== former.pid, isAlive(now)]).toEqual([true, true]);
      return now;
    }, LONG_MS);
  const kill = async (mark: ProcessMark) => {
    process.kill(mark.pid, 'SIGKILL');
    while (isAlive(mark)) await sleep(10);
  };
  const definition = (infra: string, name: string, count = 2) =>
    demoDefinition(infra, { servers: [{ name, count }], taskservs: ['nginx', 'redis'] });

  test('is started again when it dies, and operations go on', async () => {
    await account.behave({ latencyMs: { 'host.step': 200 } });
    const operation = await submit({ infra: 'shop', definition: definition('shop', 'web') });
    const former = await worker();
    await kill(former);
    await anotherThan(former);
    expect((await result(operation)).status).toBe('done');
    expect(doubled(await account.read())).toEqual([]);
  });

  test('does not end with its supervisor, and `up` starts another', async () => {
    const [before, former] = [await worker(), await supervisor()];
    await kill(former);
    expect(await worker()).toEqual(before);
    expect(isAlive(before)).toBe(true);
    await engine.up();
    const now = await supervisor();
    expect([now.pid !== former.pid, isAlive(now), (await worker()).pid]).toEqual([true, true, before.pid]);
    await engine.up();
    expect(await supervisor()).toEqual(now);
    await kill(before);
    await anotherThan(before);
  });

  test('is not killed again and again by one operation, while another goes on', async () => {
    await account.behave({
      latencyMs: { 'host.step': 300 },
      failures: [{ verb: 'servers.create', name: 'doom-1', times: 1_000, error: 'crash' }],
    });
    const other = await submit({ infra: 'other', definition: definition('other', 'web') });
    // Only one server, because all concurrent work of an operation would be blamed.
    const killer = await submit({ infra: 'killer', definition: definition('killer', 'doom', 1), onFailure: 'ask' });
    const waiting = await ask(async (client) => {
      const progress = await client.operations.progress({ operation: killer });
      expect(progress.status).toBe('waiting');
      return progress;
    });
    expect(waiting.error).toMatchObject({
      code: 'worker-killer',
      on: 'doom-1',
      why: expect.stringMatching(/the worker ended 3 times/),
    });
    const found = await status(engine.home, { env: engine.env });
    expect(found.setAside).toMatchObject([{ operation: killer, activity: 'createServer', deaths: 3 }]);
    expect(found.problems.join('\n')).toContain(`${killer} is set aside`);
    expect((await result(other)).status).toBe('done');
    expect(serversIn(await account.read(), 'other').sort()).toEqual(['web-1', 'web-2']);
    // The cause is fixed, and a person confirms it.
    await account.behave({});
    await ask((client) => client.operations.decide({ operation: killer, decision: 'retry' }));
    expect((await result(killer)).status).toBe('done');
    expect((await status(engine.home, { env: engine.env })).problems).toEqual([]);
    expect(doubled(await account.read())).toEqual([]);
  });

  test('ends with `down`, as does its supervisor', async () => {
    const marks = [await worker(), await supervisor()];
    await down(engine.home);
    expect(marks.map(isAlive)).toEqual([false, false]);
    expect([await readRecord(engine.home), await readSupervisor(engine.home)]).toEqual([undefined, undefined]);
    await engine.up();
    expect([isAlive(await worker()), isAlive(await supervisor())]).toEqual([true, true]);
  });
});
