import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { execa } from 'execa';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSealedClient } from '../../app/temporal/sealed-client.js';
import { listWorkflows, queryRunning } from '../../app/temporal/visibility.js';
import { unpackIfPacked } from '../../core/encoding/pack.js';
import { VERSION_MEMO, WORKFLOWS_SINCE, WORKFLOWS_VERSION } from '../../core/engine/workflows-version.js';
import { infraWorkflowId } from '../../core/names.js';
import type { Progress } from '../../core/operation/operation.js';
import { openEncryption } from '../../encryption/open-encryption.js';
import type { Home } from '../../home/home.js';
import { payloadFiles } from '../../stores/files/payload-files.js';
import { useService } from '../../workers/engine/binary/versions-of-home.js';
import { isAlive } from '../../workers/engine/processes/process.js';
import { readRecord } from '../../workers/engine/record.js';
import type { InfraInput } from '../../workflows/infra/infra.js';
import { STATE_VERSION } from '../../workflows/infra/infra-state.js';
import { inputOf } from '../support/batches.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition, type Written } from '../support/definition.js';
import { demoAccount, doubled, serversIn } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { formerCheckout, formerRelease, RELEASE } from '../support/former.js';
import { eventually, requestOf, runWell, untilStatus } from '../support/operations.js';

const SHOP = 'shop';
const shop = (count: number) => ({ servers: [{ name: 'web', count }], taskservs: ['redis'] }) satisfies Partial<Written>;

/** Returns the commands of the former release on a home, as its users have them. */
async function formerOn(home: Home, env: NodeJS.ProcessEnv) {
  const bin = join(await formerCheckout(RELEASE), 'bin/provisioning.js');
  const run = async (...args: string[]) => {
    const { stdout } = await execa(process.execPath, [bin, ...args, '--json'], { env, extendEnv: false });
    return JSON.parse(stdout);
  };
  return {
    run,
    progress: (operation: string): Promise<Progress> => run('workflow', 'status', operation),
    /** Starts to create an infra. Returns the operation. */
    async begin(infra: string, content: Partial<Written>, ...more: string[]): Promise<string> {
      const file = join(dirname(home.root), `${infra}.json`);
      await writeFile(file, JSON.stringify({ infra, provider: 'demo', ...content }));
      return (await run('apply', file, '--yes', ...more)).operation;
    },
  };
}

interface Begun {
  /** An operation in the middle of its steps. */
  middle: string;
  /** An operation that waits for an approval. */
  asked: string;
  /** An operation behind it in the infra's queue. */
  queued: string;
}

/** Creates an infra, and operations in all states that an operation can have. */
async function beginAll(home: Home, env: NodeJS.ProcessEnv): Promise<Begun> {
  const former = await formerOn(home, env);
  const until = (operation: string, holds: (progress: Progress) => void) =>
    eventually(async () => holds(await former.progress(operation)));
  await former.run('up', '--no-supervisor');
  await former.begin(SHOP, shop(1));
  // Commands of the former release take seconds each on a busy machine. The operation must still run at the last of
  // them.
  await demoAccount({ env } as TestEngine).behave({ latencyMs: { 'host.step': 8_000 } });
  const middle = await former.begin('slow', shop(2), '--no-wait');
  const asked = await former.begin(SHOP, shop(2), '--no-wait', '--approve', 'before-change');
  await until(asked, ({ status }) => expect(status).toBe('waiting'));
  const queued = await former.begin(SHOP, shop(3), '--no-wait');
  await until(queued, ({ status }) => expect(status).toBe('queued'));
  await until(middle, ({ steps }) => expect(steps.executed).toBeGreaterThan(0));
  expect((await former.progress(middle)).status).toBe('running');
  return { middle, asked, queued };
}

/** Starts an operation like a build whose workflows cannot be replayed any more. Returns its id. */
async function beginTooOld(home: Home, env: NodeJS.ProcessEnv): Promise<{ id: string; end(): Promise<unknown> }> {
  const record = await readRecord(home);
  if (!record) throw new Error('no engine runs');
  const { namespace, taskQueue } = record;
  const codec = (await openEncryption(home, env)).codec(namespace, payloadFiles(home.payloads));
  const request = requestOf({ infra: 'old', definition: demoDefinition('old', shop(1)), approve: ['before-change'] });
  const { id } = request;
  const memo = { [VERSION_MEMO]: WORKFLOWS_SINCE - 1 };
  await useService(record, env, async (connection) => {
    const temporal = createSealedClient({ connection, namespace, codec });
    await temporal.workflow.start('cluster', { workflowId: id, taskQueue, memo, args: [request] });
    const listed = async () => {
      const ids: string[] = [];
      for await (const { workflowId } of listWorkflows(temporal, queryRunning(taskQueue))) ids.push(workflowId);
      return ids;
    };
    await eventually(async () => expect(await listed()).toContain(id));
  });
  const end = () =>
    useService(record, env, ({ workflowService }) =>
      workflowService.terminateWorkflowExecution({ namespace, workflowExecution: { workflowId: id } }),
    );
  return { id, end };
}

describe('what the former release began', () => {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    await formerRelease();
  }, 1_800_000);
  afterEach(() => engine?.stop());

  test.each(['its worker was stopped', 'its worker is replaced'])(
    'goes on with this one, and so does the infra: %s',
    async (how) => {
      let begun: Begun | undefined;
      engine = await startTestEngine(
        {},
        {
          before: async (home, env) => {
            begun = await beginAll(home, env);
            if (how === 'its worker was stopped') await (await formerOn(home, env)).run('down');
          },
        },
      );
      const { middle, asked, queued } = begun as Begun;
      const [client, account] = [await engine.client(), demoAccount(engine)];
      await account.behave({});
      const { temporal } = engine;
      const describeOf = (id: string) => temporal.workflow.getHandle(id).describe();
      const carriedBy = async (workflowId: string) => {
        const { namespace } = temporal.options;
        const request = { namespace, execution: { workflowId } };
        const { workflowExecutionInfo } = await temporal.workflowService.describeWorkflowExecution(request);
        const sealed = workflowExecutionInfo?.memo?.fields?.[VERSION_MEMO];
        const [memo] = sealed && engine ? await engine.encryption.codec(namespace, engine.payloads, 'show').decode([sealed]) : [];
        return memo && defaultPayloadConverter.fromPayload<number>(memo);
      };
      for (const id of [middle, asked, queued]) expect(await carriedBy(id)).toBeUndefined();
      const entity = infraWorkflowId('default', SHOP);
      const { runId } = await describeOf(entity);

      await untilStatus(engine, asked, 'waiting');
      await client.operations.approve({ operation: asked, approved: true });
      for (const id of [middle, asked, queued]) {
        const { status, error } = await client.operations.result({ operation: id });
        expect({ id, status, error }).toEqual({ id, status: 'done', error: undefined });
      }
      const state = await account.read();
      expect(serversIn(state, SHOP).sort()).toEqual(['web-1', 'web-2', 'web-3']);
      expect(serversIn(state, 'slow').sort()).toEqual(['web-1', 'web-2']);
      expect(doubled(state)).toEqual([]);

      const again = await runWell(engine, { infra: SHOP, definition: demoDefinition(SHOP, shop(3)) });
      expect(again.plan).toEqual([]);
      // The entity has left the run of the former release, and has its state in the form of this release.
      await eventually(async () => expect((await describeOf(entity)).runId).not.toBe(runId));
      expect(await carriedBy(entity)).toBe(WORKFLOWS_VERSION);
      const { state: handedOn } = await inputOf<InfraInput>(engine, entity);
      expect(handedOn && unpackIfPacked(handedOn).version).toBe(STATE_VERSION);
      expect((await runWell(engine, { infra: SHOP, definition: demoDefinition(SHOP, shop(3)) })).plan).toEqual([]);
    },
  );

  test('stops an up by name where it cannot go on, and the former worker stays', async () => {
    engine = await startTestEngine(
      {},
      {
        before: async (home, env) => {
          const former = await formerOn(home, env);
          await former.run('up', '--no-supervisor');
          const { id, end } = await beginTooOld(home, env);
          const { worker } = (await readRecord(home)) ?? {};
          const { code, stderr } = await provisioning({ env }, ['up']);
          expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${id}: it was begun by an older build`) });
          expect((await readRecord(home))?.worker).toEqual(worker);
          expect(worker && isAlive(worker)).toBe(true);
          // It still waits for the approval, with a worker that can continue it.
          await eventually(async () => expect((await former.progress(id)).status).toBe('waiting'));
          await end();
        },
      },
    );
    await runWell(engine, { infra: SHOP, definition: demoDefinition(SHOP, shop(1)) });
  });
});
