import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressOf } from '../../core/infra/definition-log.js';
import type { OperationResult, Progress } from '../../core/operation/operation.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import { type Instance, killInstance, startInstance } from '../support/api-instance.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, demoAccount } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { endAll, eventually, requestOf, runWell, type Wish } from '../support/operations.js';

interface Answer {
  status: number;
  body: unknown;
  headers: Record<string, unknown>;
}

describe('limits of an engine that two API servers share', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  let instances: [Instance, Instance];
  let token: string;

  beforeAll(async () => {
    engine = await startTestEngine();
    account = demoAccount(engine);
    const one = await startInstance(engine.env);
    const made = await ask(one, 'POST', '/v1/first-administrator', { code: one.code });
    token = (made.body as { token: string }).token;
    instances = [one, await startInstance(engine.env)];
  });
  afterAll(async () => {
    for (const one of instances ?? []) await killInstance(one);
    await engine?.stop();
  });

  function ask(
    { url, agent }: Instance,
    verb: string,
    path: string,
    input?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(input !== undefined && { 'content-type': 'application/json' }),
      ...more,
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { method: verb, agent, headers }, (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            text += chunk;
          })
          .on('error', reject)
          .on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: text === '' ? undefined : JSON.parse(text),
            }),
          );
      });
      sent.on('error', reject).end(input === undefined ? undefined : JSON.stringify(input));
    });
  }

  async function well<T>(on: Instance, verb: string, path: string, input?: unknown, more: Record<string, string> = {}): Promise<T> {
    const { status, body } = await ask(on, verb, path, input, more);
    expect([verb, path, status, status < 300 ? '' : body]).toEqual([verb, path, status, '']);
    return body as T;
  }

  const wish = (one: Wish) => ({ ...requestOf(one), actor: undefined });
  const web = (infra: string, count: number) =>
    demoDefinition(infra, { servers: [{ name: 'web', count }], taskservs: [{ name: 'nginx', on: 'all' }] });
  const pathOf = (operation: string) => `/v1/operations/${encodeURIComponent(operation)}`;
  async function ended(operation: string): Promise<OperationResult> {
    for (;;) {
      const { status, body } = await ask(instances[0], 'GET', `${pathOf(operation)}/result`);
      if (status !== 202) return body as OperationResult;
    }
  }

  test('a start that is repeated with its key is one operation, also after its instance was killed', async () => {
    const { id: _, ...asked } = wish({ infra: 'keyed', definition: web('keyed', 1) });
    const key = { 'idempotency-key': 'start-1' };
    const third = await startInstance(engine.env);
    const before = (await engine.client()).operations;
    const sent = Array.from({ length: 10 }, () =>
      ask(third, 'POST', '/v1/operations', { request: asked }, key).catch(() => undefined),
    );
    await eventually(async () => expect(await before.list({ infra: 'keyed', limit: 10 })).toHaveLength(1));
    await killInstance(third);
    const answered = (await Promise.all(sent)).filter((one) => one !== undefined && one.status === 200);
    // The key is in use until the time-out of the killed instance.
    const again = await eventually(async () => {
      const answer = await ask(instances[1], 'POST', '/v1/operations', { request: asked }, key);
      expect(answer.status).toBe(200);
      return answer.body as { operation: string };
    });
    for (const one of answered) expect(one?.body).toEqual(again);
    const repeated = await ask(instances[0], 'POST', '/v1/operations', { request: asked }, key);
    expect([repeated.status, repeated.body]).toEqual([200, again]);
    const other = await ask(instances[0], 'POST', '/v1/operations', { request: { ...asked, infra: 'other' } }, key);
    expect([other.status, other.body]).toMatchObject([409, { code: 'idempotency-key-reused' }]);
    expect((await ended(again.operation)).status).toBe('done');
    expect(await before.list({ infra: 'keyed', limit: 10 })).toHaveLength(1);
    await runWell(engine, { infra: 'keyed', intent: { verb: 'delete' }, allowDestroy: true });
  });

  test('a freeze stops operations before their next step, refuses changes by every door, and its end resumes them', async () => {
    await account.behave({ latencyMs: { 'host.step': 300 } });
    const definition = demoDefinition('icy', {
      servers: [{ name: 'web', count: 2 }],
      taskservs: ['nginx', 'redis'].map((name) => ({ name, on: 'all' })) as never,
    });
    const { operation } = await well<{ operation: string }>(instances[0], 'POST', '/v1/operations', {
      request: wish({ infra: 'icy', definition }),
    });
    const effects = async () => (await account.read()).effects.length;
    await eventually(async () =>
      expect(Object.values((await account.read()).servers).some((one) => one.services.nginx)).toBe(true),
    );
    const made = await well<{ paused: string[] }>(instances[1], 'POST', '/v1/freezes', {
      workspace: 'default',
      reason: 'incident 42',
    });
    expect(made.paused).toEqual([operation]);
    const frozen = await eventually(async () => {
      const progress = await well<Progress>(instances[0], 'GET', `${pathOf(operation)}`);
      const atWork = progress.cells.filter(({ state }) => state === 'running');
      for (const { step } of atWork) expect(step).toMatch(/^Paused before: /);
      expect(progress.status).toBe('paused');
      return progress;
    });
    expect(frozen.waiting).toMatch(/^frozen by service-account:admin since \S+: incident 42$/);
    // The operation learned of the freeze before the call returned, so the pause has the time of the freeze.
    const paused = frozen.control.find(({ did }) => did === 'paused');
    const since = (await well<{ items: { since: string }[] }>(instances[0], 'GET', '/v1/freezes')).items[0]?.since as string;
    expect(Date.parse(paused?.at as string) - Date.parse(since)).toBeLessThan(5_000);
    const done = await effects();

    const refused = await ask(instances[0], 'POST', '/v1/operations', {
      request: wish({ infra: 'late', definition: web('late', 1) }),
    });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'frozen', why: expect.stringMatching(/^frozen by service-account:admin since \S+: incident 42$/) },
    ]);
    // The owner of the socket is rejected too.
    const { operations } = await engine.client();
    for (const call of [
      operations.submit({ request: requestOf({ infra: 'late', definition: web('late', 1) }) }),
      operations.resume({ operation }),
    ])
      await expect(call).rejects.toMatchObject({ details: { code: 'frozen' } });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await effects()).toBe(done);

    await account.behave({});
    await well(instances[0], 'POST', '/v1/freezes/delete', { workspace: 'default' });
    expect((await ended(operation)).status).toBe('done');
    const { items } = await well<{ items: { method: string; outcome: string }[] }>(instances[1], 'GET', '/v1/audit');
    const audited = items
      .filter(({ method }) => method.startsWith('freezes.'))
      .map(({ method, outcome }) => `${method} ${outcome}`);
    expect(audited.sort()).toEqual(['freezes.create asked', 'freezes.create done', 'freezes.delete asked', 'freezes.delete done']);
    await runWell(engine, { infra: 'icy', intent: { verb: 'delete' }, allowDestroy: true });
  });

  test('a freeze of an environment holds the infras in it before their next step, and no others', async () => {
    await account.behave({ latencyMs: { 'host.step': 300 } });
    const definition = demoDefinition('tundra', {
      servers: [{ name: 'web', count: 1 }],
      taskservs: ['nginx', 'redis'].map((name) => ({ name, on: 'all' })) as never,
    });
    const text = 'infra: tundra\n';
    const address = addressOfFile('default', text);
    const files = [{ path: 'tundra.yaml', address, size: text.length }];
    const whole = { workspace: 'default', infra: 'tundra', definition: addressOf(definition), main: 'tundra.yaml', files };
    const { bundle } = await well<{ bundle: string }>(instances[0], 'POST', '/v1/bundles', {
      bundle: { ...whole, environment: 'prod' },
      texts: { [address]: text },
    });
    const request = { ...wish({ infra: 'tundra', definition }), bundle };
    const { operation } = await well<{ operation: string }>(instances[0], 'POST', '/v1/operations', { request });
    await eventually(async () =>
      expect(Object.values((await account.read()).servers).some((one) => one.services.nginx)).toBe(true),
    );
    const place = { workspace: 'default', environment: 'prod' };
    const made = await well<{ place: string; paused: string[] }>(instances[1], 'POST', '/v1/freezes', {
      ...place,
      reason: 'audit',
    });
    expect(made).toMatchObject({ place: 'default@prod', paused: [operation] });
    await eventually(async () => {
      const progress = await well<Progress>(instances[0], 'GET', pathOf(operation));
      for (const { step } of progress.cells.filter(({ state }) => state === 'running')) expect(step).toMatch(/^Paused before: /);
      expect(progress.status).toBe('paused');
    });
    const again = await ask(instances[0], 'POST', '/v1/operations', { request: { ...request, id: 'tundra-again' } });
    expect([again.status, again.body]).toMatchObject([409, { code: 'frozen', on: 'environment prod of default' }]);
    // What is in no environment goes on, and takes longer than a step.
    await runWell(engine, { infra: 'meadow', definition: web('meadow', 1) });
    const held = Object.values((await account.read()).servers).filter(({ services }) => services.redis);
    expect(held).toEqual([]);
    await account.behave({});
    await well(instances[0], 'POST', '/v1/freezes/delete', place);
    expect((await ended(operation)).status).toBe('done');
    for (const infra of ['tundra', 'meadow']) await runWell(engine, { infra, intent: { verb: 'delete' }, allowDestroy: true });
  });

  test('of fifty operations that are asked for at once, a quota of ten lets ten begin, whichever server is asked', async () => {
    await well(instances[0], 'POST', '/v1/workspaces/default/quotas/set', { operations: 10 });
    const asked = Array.from({ length: 50 }, (_, at) =>
      ask(instances[at % 2] as Instance, 'POST', '/v1/operations', {
        // Each operation waits for an approval, so none ends early.
        request: wish({ infra: `race-${at}`, approve: ['before-change'], definition: web(`race-${at}`, 1) }),
      }),
    );
    const answers = await Promise.all(asked);
    const begun = answers.filter(({ status }) => status === 200);
    expect(begun).toHaveLength(10);
    for (const { status, body } of answers.filter((one) => one.status !== 200))
      expect([status, body]).toMatchObject([403, { code: 'quota-exceeded' }]);
    const use = () => well<{ used: number }[]>(instances[1], 'GET', '/v1/workspaces/default/quotas');
    expect(await use()).toEqual([{ workspace: 'default', of: 'operations', limit: 10, used: 10 }]);
    // The owner of the socket has the same quota.
    const { operations, plans } = await engine.client();
    const more = requestOf({ infra: 'race-more', definition: web('race-more', 1) });
    await expect(operations.submit({ request: more })).rejects.toMatchObject({ details: { code: 'quota-exceeded' } });
    const { operation: preview } = await plans.preview({ request: more });
    expect((await plans.result({ operation: preview })).quota).toEqual([
      { workspace: 'default', of: 'operations', limit: 10, used: 10, after: 11, exceeded: true },
    ]);
    const [first] = begun.map(({ body }) => (body as { operation: string }).operation);
    await well(instances[0], 'POST', `${pathOf(first as string)}/cancel`, {});
    await ended(first as string);
    expect((await use())[0]?.used).toBe(9);
    const last = await well<{ operation: string }>(instances[1], 'POST', '/v1/operations', {
      request: { ...more, actor: undefined },
    });
    expect((await ended(last.operation)).status).toBe('done');
    await well(instances[0], 'POST', '/v1/workspaces/default/quotas/remove', {});
    await endAll(engine);
    await runWell(engine, { infra: 'race-more', intent: { verb: 'delete' }, allowDestroy: true });
  });

  test('two people change different servers of one infra at a time, and neither waits for the other', async () => {
    await runWell(engine, { infra: 'shared', definition: web('shared', 2) });
    const changed = demoDefinition('shared', {
      servers: [{ name: 'web', count: 2 }],
      taskservs: [
        { name: 'nginx', on: 'all' },
        { name: 'redis', on: 'all' },
      ],
    });
    const change = (server: string, more: Partial<Wish>) =>
      wish({ infra: 'shared', kind: 'taskserv', intent: { verb: 'ensure', servers: [server] }, definition: changed, ...more });
    // The first operation keeps its locks until it is approved.
    const first = await well<{ operation: string }>(instances[0], 'POST', '/v1/operations', {
      request: change('web-1', { approve: ['before-change'] }),
    });
    await eventually(async () =>
      expect((await well<Progress>(instances[0], 'GET', `${pathOf(first.operation)}`)).status).toBe('waiting'),
    );
    const second = await well<{ operation: string }>(instances[1], 'POST', '/v1/operations', { request: change('web-2', {}) });
    expect((await ended(second.operation)).status).toBe('done');
    expect((await well<Progress>(instances[1], 'GET', `${pathOf(first.operation)}`)).status).toBe('waiting');
    await well(instances[1], 'POST', `${pathOf(first.operation)}/approve`, { approved: true });
    expect((await ended(first.operation)).status).toBe('done');
    await endAll(engine);
    await runWell(engine, { infra: 'shared', intent: { verb: 'delete' }, allowDestroy: true });
  });
});
