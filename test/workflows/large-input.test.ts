import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../client/client.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { demoDefinition } from '../support/definition.js';
import { demoAccount } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';

/** Returns text that cannot be compressed. */
const text = (bytes: number) =>
  randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64')
    .slice(0, bytes);
const KiB = 1024;

describe('large input', () => {
  let engine: TestEngine;
  let client: Client;

  beforeAll(async () => {
    engine = await startTestEngine();
    client = await engine.client();
  });
  afterAll(() => engine?.stop());

  /** A request for a server with a page of this size. */
  const request = (infra: string, page: number): OperationRequest => {
    const small = demoDefinition(infra, { servers: [{ name: 'web', taskservs: ['nginx'] }] });
    const definition = structuredClone(small);
    Object.assign(definition.servers[0]?.taskservs[0]?.config as object, { page: text(page) });
    return {
      id: `cluster-ensure-${infra}-1`,
      kind: 'cluster',
      workspace: 'default',
      infra,
      intent: { verb: 'ensure' },
      definition,
      actor: 'ann@desk',
    };
  };

  test('the largest that is taken can be asked, listed, canceled and forced while it runs', { timeout: 180_000 }, async () => {
    await demoAccount(engine).behave({ latencyMs: { 'servers.create': 600_000 } });
    const { operation } = await client.operations.submit({ request: request('largest', 1000 * KiB) });
    await expect.poll(async () => (await client.operations.progress({ operation })).status, { timeout: 120_000 }).toBe('running');
    expect((await client.operations.list({ infra: 'largest' })).map((row) => row.operation)).toEqual([operation]);
    await client.operations.cancel({ operation });
    await client.operations
      .force({ operation })
      .catch((error: unknown) => expect(error).toMatchObject({ details: { blame: 'user' } }));
    const result = await client.operations.result({ operation });
    expect(['canceled', 'rolled-back', 'failed']).toContain(result.status);
    expect((await client.operations.progress({ operation })).status).toBe(result.status);
    await demoAccount(engine).behave({});
  });

  test.each([2, 3, 6, 9])('%i MiB of text is refused by the worker’s client, and nothing is started', async (size) => {
    const wish = request(`huge-${size}`, size * KiB * KiB);
    // Through the worker's socket: this process does not check the request before.
    await expect(client.operations.submit({ request: wish })).rejects.toMatchObject({
      details: { code: 'too-large', blame: 'user', what: 'submit the operation' },
    });
    await expect(engine.temporal.workflow.getHandle(wish.id).describe()).rejects.toThrow();
    expect(await client.infras.list({ workspace: 'default' })).not.toContain(`huge-${size}`);
  });
});
