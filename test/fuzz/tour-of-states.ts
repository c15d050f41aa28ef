import type { Client } from '../../client/client.js';
import { testWorkspaceOf } from '../../core/names.js';
import { batchOf, farm, refuses, server } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import { demoAccount } from '../support/demo.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, requestOf, type Wish } from '../support/operations.js';

const WORKSPACE = 'default';
/** Workspace of the test environments of WORKSPACE. */
const TESTS = testWorkspaceOf(WORKSPACE);
const HOUR_MS = 3_600_000;
/** How long hosts may take, in milliseconds. */
const WITHIN_MS = 5_000;

/** Calls a method. A failure is noted, answers undefined, and the tour goes on. */
export type Go = <T>(method: string, input: unknown) => Promise<T>;

/**
 * Calls the methods that answer only while something is in a certain state: it asks a person, stops, waits for an approval, is
 * lost, or was made by other means. The demo account brings each state about.
 *
 * @param client over HTTP, as an admin of all workspaces
 * @param go calls a method and notes its outcome
 */
export async function visitStates(client: Client, engine: TestEngine, go: Go): Promise<void> {
  const account = demoAccount(engine);
  const define = (infra: string, count = 2) =>
    demoDefinition(infra, { servers: [{ name: 'web', count }], taskservs: [{ name: 'nginx', on: 'all' }] });
  const submit = async (wish: Wish) => {
    const request = { ...requestOf({ definition: define(wish.infra), ...wish }), actor: undefined };
    return (await go<{ operation: string }>('operations.submit', { request }))?.operation ?? '';
  };
  const end = (operation: string) => client.operations.result({ operation });
  const untilBatch = (batch: string, wanted: string) =>
    eventually(async () => {
      const { status } = await client.batches.state({ batch });
      if (status !== wanted) throw new Error(`${batch} is ${status}, not ${wanted}`);
    });
  /** A batch that makes servers of its own infra, each after the former. */
  async function begin(name: string, more: Partial<Parameters<typeof batchOf>[1]>): Promise<string> {
    const operations = [server('a'), server('b', { needs: ['a'] })];
    const plan = await batchOf(name, { operations, ...more }, { 'farm.json': farm(name, ['a', 'b']) });
    const batch = `batch-${name}-1`;
    await go('batches.submit', { ...plan, id: batch, workspace: WORKSPACE, timing: { retryMs: 50, ...plan.timing } });
    return batch;
  }

  const scenes = [
    async () => {
      // It asks what to do.
      await account.behave({ unhealthy: ['nginx'] });
      const asking = await submit({ infra: 'tour-asks', definition: define('tour-asks', 1), onFailure: 'ask' });
      await eventually(async () => {
        const { status } = await client.operations.progress({ operation: asking });
        if (status !== 'waiting') throw new Error(`it is ${status}`);
      });
      await account.behave({});
      await go('operations.decide', { operation: asking, decision: 'retry' });
      await end(asking);
    },
    async () => {
      // It stops, and a server cannot be deleted.
      const failures = [{ verb: 'servers.delete', name: 'web-2', times: 1_000, error: 'weather' as const, retryAfterMs: 1_000 }];
      await account.behave({ unhealthy: ['nginx'], failures });
      const stopping = await submit({ infra: 'tour-stops', onFailure: 'rollback' });
      const deletes = ({ server, step }: { server: string; step?: string | undefined }) =>
        server === 'web-2' && step === 'Roll back: delete the server';
      await eventually(async () => {
        if (!(await client.operations.progress({ operation: stopping })).cells.some(deletes)) throw new Error('it does not stop');
      });
      await go('operations.force', { operation: stopping });
      await end(stopping);
      await account.behave({});
    },
    async () => {
      // A batch waits for approvals, and is canceled at its second stage.
      const stages = await begin('tour-stages', { approve: 'per-batch-stage' });
      await untilBatch(stages, 'waiting');
      await go('batches.approve', { batch: stages });
      await client.batches.result({ batch: stages });
      const halted = await begin('tour-halts', { approve: 'per-batch-stage' });
      await untilBatch(halted, 'waiting');
      await go('batches.cancel', { batch: halted });
      await client.batches.result({ batch: halted });
    },
    async () => {
      // One asks what to do.
      await account.behave({ failures: [{ ...refuses('b'), retryAfterMs: 1_000 }] });
      const failed = await begin('tour-fails', { onFailure: 'ask' });
      await untilBatch(failed, 'waiting');
      await account.behave({});
      await go('batches.decide', { batch: failed, decision: 'retry' });
      await client.batches.result({ batch: failed });
    },
    async () => {
      // A machine that was made in the vendor's console.
      await end(await submit({ infra: 'tour-adopts' }));
      await account.meddle(({ servers, elsewhere }) => {
        const [like] = Object.values(servers);
        if (like) elsewhere['own-1'] = { id: 'own-1', name: 'old', plan: like.plan, image: like.image };
      });
      const found = { workspace: WORKSPACE, infra: 'tour-adopts', provider: 'demo', server: 'old', name: 'old' };
      await go('servers.import', found);
    },
    async () => {
      // The engine has lost an infra.
      await end(await submit({ infra: 'tour-lost' }));
      await engine.temporal.workflow.getHandle(`infra/${WORKSPACE}/tour-lost`).terminate('lost by the tour');
      await go('infras.recover', { workspace: WORKSPACE, infra: 'tour-lost', check: true });
    },
    async () => {
      // A test environment with hosts.
      const tests = { workspace: WORKSPACE, infra: 'tour-tests' };
      await go('testEnvironments.create', { ...tests, type: 'single', about: 'nginx', ttlMs: HOUR_MS });
      await end(await submit({ infra: 'tour-tests', workspace: TESTS }));
      await go('testEnvironments.run', { ...tests, withinMs: WITHIN_MS });
      await go('testEnvironments.remove', tests);
    },
    async () => {
      // A fleet, whose only build is the current one.
      const { versions = [] } = (await go<{ versions: { build: string }[] }>('fleet.status', {})) ?? {};
      await go('fleet.promote', {});
      await go('fleet.ramp', { build: versions[0]?.build, percent: 0 });
    },
    async () => {
      // All of a workspace: it goes out, and what comes in has names that are there.
      const { data } = (await go<{ data?: string }>('workspaces.export', { workspace: WORKSPACE, keep: true })) ?? {};
      await go('workspaces.import', { workspace: WORKSPACE, data, check: true, takeOver: true });
      type InParts = { download?: { id: string; parts: { hash: string; size: number }[] } };
      const { download } = (await go<InParts>('workspaces.export', { workspace: WORKSPACE, keep: true, parts: true })) ?? {};
      await go('workspaces.part', { workspace: WORKSPACE, download: download?.id, part: download?.parts[0]?.hash });
      await go('workspaces.upload', { workspace: WORKSPACE, parts: download?.parts });
    },
  ];
  for (const scene of scenes)
    await scene().catch(async (error: unknown) => {
      console.log(`tour: ${error}`);
      await account.behave({});
    });
}
