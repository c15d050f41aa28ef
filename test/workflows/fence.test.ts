import { rm } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { infraWorkflowId } from '../../core/names.js';
import type { OperationResult } from '../../core/operation/operation.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, doubled, serversIn, turnsOf } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, runWell, submit, untilStatus } from '../support/operations.js';
import { rawTemporal } from '../support/raw-temporal.js';

const INFRA = 'fenced';
const ENTITY = infraWorkflowId('default', INFRA);
const definition = (count: number) => demoDefinition(INFRA, { servers: [{ name: 'web', count }], taskservs: ['redis'] });

/** The reason why an ended operation does not resume. */
const RESET = expect.stringContaining('it was reset after it had given its lock back');

/** Activity of an operation at the time of the change from outside. */
const MOMENTS = {
  'while it makes a server': { latencyMs: { 'servers.create': 2_000 }, verb: 'createServer' },
  'while it works on a host': { latencyMs: { 'host.step': 500 }, verb: 'act' },
};
type Moment = keyof typeof MOMENTS;

describe('an operation that somebody meddles with past the platform, while another waits for its lock', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing(INFRA, () => ({ engine, account }));

  const raw = () => rawTemporal(engine);
  const client = () => engine.client();
  const result = async (operation: string): Promise<OperationResult> => (await client()).operations.result({ operation });
  const locks = async () => (await client()).infras.locks({ workspace: 'default', infra: INFRA });
  const free = () => eventually(async () => expect(await locks()).toEqual({ holders: [], waiters: [] }));
  const effects = async () => (await account.read()).effects;

  async function nothingDoubledOrMixed(): Promise<void> {
    const state = await account.read();
    expect(doubled(state)).toEqual([]);
    for (const [server, operations] of Object.entries(turnsOf(state))) expect(operations, server).toEqual([...new Set(operations)]);
  }

  const isAt = (operation: string, verb: string) =>
    eventually(async () => {
      const { raw: described } = await engine.temporal.workflow.getHandle(operation).describe();
      expect(described.pendingActivities?.map(({ activityType }) => activityType?.name)).toContain(verb);
    });

  /** Starts a running operation, and one that waits for its lock. */
  async function two(moment: Moment): Promise<[holder: string, waiter: string]> {
    const { latencyMs, verb } = MOMENTS[moment];
    await account.behave({ latencyMs });
    const holder = await submit(engine, { infra: INFRA, definition: definition(2) });
    await isAt(holder, verb);
    const waiter = await submit(engine, { infra: INFRA, definition: definition(3) });
    await untilStatus(engine, waiter, 'queued');
    return [holder, waiter];
  }

  beforeEach(() => account.clear());

  for (const moment of Object.keys(MOMENTS) as Moment[]) {
    for (const to of ['first', 'last'] as const)
      test(`reset to its ${to} task ${moment}: it goes on under the lock that it has`, async () => {
        const [holder, waiter] = await two(moment);
        await raw().reset(holder, to);
        expect((await result(holder)).error).toBeUndefined();
        expect([(await result(holder)).status, (await result(waiter)).status]).toEqual(['done', 'done']);
        await nothingDoubledOrMixed();
        await free();
      });
    for (const means of ['terminate', 'delete'] as const)
      test(`${means} ${moment}: its lock comes free`, async () => {
        const [holder, waiter] = await two(moment);
        if (means === 'terminate') await engine.temporal.workflow.getHandle(holder).terminate('from outside');
        else await raw().remove(holder);
        expect((await result(waiter)).status).toBe('done');
        await nothingDoubledOrMixed();
        await free();
      });
  }

  test('reset while it is in the queue: it keeps its place', async () => {
    const [holder, waiter] = await two('while it makes a server');
    await raw().reset(waiter, 'first');
    expect([(await result(holder)).status, (await result(waiter)).status]).toEqual(['done', 'done']);
    expect(serversIn(await account.read(), INFRA).sort()).toEqual(['web-1', 'web-2', 'web-3']);
    await nothingDoubledOrMixed();
    await free();
  });

  // The server supports it only with its setting `frontend.WorkflowPauseEnabled`.
  test("Temporal's pause is refused by the server that is brought along, and changes nothing", async () => {
    const [holder, waiter] = await two('while it makes a server');
    await expect(raw().pause(holder)).rejects.toThrow('workflow pause is not enabled');
    expect([(await result(holder)).status, (await result(waiter)).status]).toEqual(['done', 'done']);
    await nothingDoubledOrMixed();
  });

  test('its lock is given to another: the next attempt ends it, and it undoes nothing', async () => {
    await account.behave({ failures: [{ verb: 'servers.create', name: 'web-2', times: 1_000, error: 'weather' }] });
    const holder = await submit(engine, { infra: INFRA, definition: definition(2), onFailure: 'rollback' });
    await isAt(holder, 'createServer');
    await eventually(async () => expect(serversIn(await account.read(), INFRA)).toEqual(['web-1']));
    const waiter = await submit(engine, { infra: INFRA, definition: definition(1), approve: ['before-change'] });
    await untilStatus(engine, waiter, 'queued');
    await engine.temporal.workflow.getHandle(ENTITY).signal('forgotten', [holder]);
    const { status, error, left } = await result(holder);
    expect([status, error?.code, error?.exitCode]).toEqual(['failed', 'grant-lost', 2]);
    expect(left).toEqual(expect.arrayContaining(['network fenced', 'server web-1', 'server web-2, if it was made']));
    expect(serversIn(await account.read(), INFRA)).toEqual(['web-1']);
    const { control } = await untilStatus(engine, waiter, 'waiting');
    expect(control).toEqual([]);
    expect((await locks()).holders.map(({ operation }) => operation)).toEqual([waiter]);
    await (await client()).operations.approve({ operation: waiter, approved: true });
    expect((await result(waiter)).status).toBe('done');
    await nothingDoubledOrMixed();
    await free();
  });

  test('one that asks about every failure is not asked about a lost lock', async () => {
    await account.behave({ failures: [{ verb: 'servers.create', name: 'web-1', times: 1_000, error: 'weather' }] });
    const holder = await submit(engine, { infra: INFRA, definition: definition(1), onFailure: 'ask' });
    await isAt(holder, 'createServer');
    await engine.temporal.workflow.getHandle(ENTITY).signal('forgotten', [holder]);
    expect((await result(holder)).error?.code).toBe('grant-lost');
    await free();
  });

  describe('that has ended is reset', () => {
    /** Finds the last task before the request for the first server. */
    const beforeServers = ({ activityTaskScheduledEventAttributes: asked }: { activityTaskScheduledEventAttributes?: Asked }) =>
      asked?.activityType?.name === 'createServer';
    type Asked = { activityType?: { name?: string | null } | null } | null;
    const POINTS = {
      'its first task': 'first',
      'the task before it made servers': beforeServers,
      'its last task': 'last',
    } as const;

    for (const [point, to] of Object.entries(POINTS))
      for (const [title, forgetful] of [
        ['', false],
        [', without the signals that it got, when its start is forgotten', true],
      ] as const)
        test(`to ${point}${title}: it does nothing, and who has the lock keeps it`, async () => {
          const ended = (await runWell(engine, { infra: INFRA, definition: definition(2) })).operation;
          await account.behave({});
          const holder = await submit(engine, {
            infra: INFRA,
            definition: definition(1),
            approve: ['before-change'],
            allowDestroy: true,
          });
          await untilStatus(engine, holder, 'waiting');
          const before = await effects();
          if (forgetful) {
            await rm(engine.home.claims, { recursive: true });
            await engine.killWorker();
            await engine.up();
          }
          await raw().reset(ended, to, forgetful);
          const again = await result(ended);
          // After a reset to its last task, the operation only has to report its end.
          expect(again.error?.code).toBe(to === 'last' ? undefined : 'grant-lost');
          if (again.error) expect(again.error).toMatchObject({ why: RESET, hint: expect.stringContaining('submit it again') });
          expect(await effects()).toEqual(before);
          expect((await locks()).holders.map(({ operation }) => operation)).toEqual([holder]);
          await (await client()).operations.approve({ operation: holder, approved: true });
          expect((await result(holder)).status).toBe('done');
          expect(serversIn(await account.read(), INFRA)).toEqual(['web-1']);
          await nothingDoubledOrMixed();
          await free();
        });
  });
});
