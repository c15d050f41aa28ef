import { beforeEach, describe, expect, test } from 'vitest';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, run, runWell, submit } from '../support/operations.js';

const servers = (infra: string, count: number) => demoDefinition(infra, { servers: [{ name: 'web', count }] });

describe('an account with a limit', () => {
  const LIMIT = 4;
  let engine: TestEngine;
  let account: DemoAccount;

  withDemoEngine(
    (...started) => {
      [engine, account] = started;
    },
    { PROVISIONING_LIMITS: `demo=${LIMIT}` },
  );

  test('has a queue of its own, from which the server hands out no more than that', async () => {
    const count = 12;
    const started = Date.now();
    const { operation } = await runWell(engine, {
      infra: 'slow',
      kind: 'server',
      intent: { verb: 'ensure' },
      definition: servers('slow', count),
    });
    const seconds = (Date.now() - started) / 1_000;
    const { events } = await engine.temporal.workflow.getHandle(operation).fetchHistory();
    const own = (events ?? []).filter(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.taskQueue?.name?.endsWith('/provider/demo/default'),
    );
    const ids = new Set(own.map(({ eventId }) => String(eventId)));
    const starts = (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started, eventTime }) =>
      started && ids.has(String(started.scheduledEventId))
        ? [Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1e6]
        : [],
    );
    expect((await account.read()).effects.filter(({ verb }) => verb === 'servers.create')).toHaveLength(count);
    // The second request to the provider, the network, and two activities for each server: creation and the wait for
    // readiness.
    expect(starts).toHaveLength(2 + 2 * count);
    const within = (ms: number) => Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + ms).length));
    console.log(
      `${starts.length} activities at ${LIMIT}/s: ${seconds.toFixed(1)} s in all, at most ${within(1_000)} begun in 1 s, ${within(3_000)} in 3 s`,
    );
    // The server divides the limit among the four partitions of a queue. Each of them lets one task through
    // immediately. A partition without a poll has no limit yet, which may show in the first second.
    const later = starts.filter((at) => at > Math.min(...starts) + 1_000);
    const most = Math.max(...later.map((from) => later.filter((at) => at >= from && at < from + 3_000).length));
    expect(most).toBeLessThanOrEqual(3 * LIMIT + 4);
    expect(within(3_000)).toBeLessThan(starts.length);
    expect(seconds).toBeGreaterThan((starts.length - 2 * LIMIT) / LIMIT);

    const queues = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled ? [`${scheduled.activityType?.name} ${scheduled.taskQueue?.name?.replace(engine.taskQueue, '')}`] : [],
    );
    // After the operation has learned that the account has its own queue, it uses that queue.
    expect(queues.filter((one) => one.endsWith(' ') && one !== 'askNewInfra ')).toEqual(['planServers ']);
    expect(new Set(queues.filter((one) => one.startsWith('createServer')))).toEqual(
      new Set(['createServer /provider/demo/default']),
    );
  });
});

describe('an account without a limit', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  let infra = '';
  let count = 0;
  let before = 0;

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  beforeEach(async () => {
    await endAll(engine);
    infra = `shop-${++count}`;
    await account.behave({ recordCalls: true });
    before = (await account.read()).calls?.length ?? 0;
  });

  const callsNow = async () => ((await account.read()).calls ?? []).slice(before);
  const creations = async () => (await callsNow()).filter(({ verb }) => verb === 'servers.create');
  const create = (more = {}) => ({
    infra,
    kind: 'server' as const,
    intent: { verb: 'ensure' as const },
    definition: servers(infra, 1),
    ...more,
  });

  test('"come again later" holds for all who use the account: nobody calls before its time', async () => {
    const others = Array.from({ length: 8 }, (_, index) => `other-${count}-${index}`);
    await account.behave({
      recordCalls: true,
      failures: [{ verb: 'servers.create', error: 'rate-limited', retryAfterMs: 2_000 }],
    });
    const operations = await Promise.all(
      [infra, ...others].map((name) => submit(engine, { ...create(), infra: name, definition: servers(name, 1) })),
    );
    for (const operation of operations)
      expect((await (await engine.client()).operations.result({ operation })).status).toBe('done');
    const calls = await callsNow();
    const refused = calls.filter(({ waitMs }) => waitMs !== undefined);
    const [{ at = 0, waitMs = 0 } = {}] = refused;
    expect(waitMs).toBe(2_000);
    // Calls that were already sent when the rejection arrived cannot be stopped.
    const onTheirWay = 500;
    const during = calls.filter((call) => call.at > at + onTheirWay && call.at < at + waitMs && !call.verb.startsWith('host.'));
    expect(during).toEqual([]);
    // Each rejected call is sent once more, and no other call is repeated.
    const creates = calls.filter(({ verb }) => verb === 'servers.create');
    expect(creates).toHaveLength(operations.length + refused.length);
    console.log(
      `${calls.length} calls of ${operations.length} operations, ${refused.length} refused, none between ${onTheirWay} and ${waitMs} ms after`,
    );
  });

  test('an account with too many callers is not overrun: those refused do not come back all at once', async () => {
    await account.behave({ recordCalls: true, limits: { callsPerSecond: 10 } });
    const names = Array.from({ length: 10 }, (_, index) => `many-${index}`);
    const operations = await Promise.all(
      names.map((name) => submit(engine, { ...create(), infra: name, definition: servers(name, 1), timing: { retryMs: 1_000 } })),
    );
    for (const operation of operations)
      expect((await (await engine.client()).operations.result({ operation })).status).toBe('done');
    const calls = await callsNow();
    const refused = calls.filter(({ waitMs }) => waitMs !== undefined).length;
    console.log(`${names.length} operations on an account that takes 10 calls/s: ${calls.length} calls, ${refused} refused`);
    expect(refused).toBeLessThan(calls.length / 2);
  });

  test('a transient error is tried again, exactly as often as it lasts', async () => {
    await account.behave({ recordCalls: true, failures: [{ verb: 'servers.create', times: 3, error: 'weather' }] });
    await runWell(engine, create());
    expect(await creations()).toHaveLength(4);
  });

  test("the user's fault is not tried again", async () => {
    await account.behave({ recordCalls: true, failures: [{ verb: 'servers.create', times: 5, error: 'user' }] });
    const failed = await run(engine, create({ onFailure: 'keep' }));
    expect(failed.error).toMatchObject({ code: 'demo-refused', exitCode: 2 });
    expect(await creations()).toHaveLength(1);
  });

  test('what nobody has a name for is tried again, and ends as unexpected', async () => {
    await account.behave({ recordCalls: true, failures: [{ verb: 'servers.create', times: 3, error: 'bug' }] });
    await runWell(engine, create());
    expect(await creations()).toHaveLength(4);
    await account.behave({ recordCalls: true, failures: [{ verb: 'servers.delete', times: 1_000, error: 'bug' }] });
    const wish = create({
      intent: { verb: 'delete' },
      allowDestroy: true,
      onTimeout: 'keep',
      timing: { retryMs: 50, giveUpMs: 500 },
    });
    const failed = await run(engine, { ...wish, definition: undefined });
    expect(failed.error).toMatchObject({ code: 'unexpected', exitCode: 1, outOfPatience: true });
  });
});
