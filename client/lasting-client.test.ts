import { describe, expect, test } from 'vitest';
import { inputError, unreachableError } from '../core/errors.js';
import { exitCodeOfCommand } from '../core/exit-codes.js';
import { type Client, clientOver } from './client.js';
import { ConnectionLost } from './connection-lost.js';
import { createLastingClient } from './lasting-client.js';

const noWorker = () => unreachableError({ code: 'no-worker', what: 'ask', why: 'no worker runs' });

/** Creates a client whose connections give these answers, one after the other. */
function clientOn(...connections: (() => unknown)[]) {
  const said: string[] = [];
  let opened = 0;
  let closed = 0;
  const open = async (): Promise<Client> => {
    const answer = connections[Math.min(opened++, connections.length - 1)] as () => unknown;
    return clientOver({
      call: async () => answer(),
      async *stream() {
        yield answer();
        throw new ConnectionLost();
      },
      close: async () => void closed++,
    });
  };
  const client = createLastingClient(open, { away: () => said.push('away'), back: () => said.push('back'), forMs: 1_200 });
  return { client, said, counts: () => ({ opened, closed }) };
}

const lost = () => {
  throw new ConnectionLost();
};
const away = () => {
  throw noWorker();
};

describe('a client whose worker ends', () => {
  test('asks again what changes nothing, and says so', async () => {
    const { client, said } = clientOn(lost, away, () => []);
    expect(await client.infras.list({ workspace: 'default' })).toEqual([]);
    expect(said).toEqual(['away', 'back']);
  });

  test.each([
    ['nobody asked', 0, 1],
    ['somebody asked', 1, 1],
    ['the worker was replaced', 2, 2],
  ])('closes each of its connections if %s', async (_, calls, connections) => {
    const { client, counts } = clientOn(...(calls === 2 ? [lost] : []), () => []);
    if (calls > 0) await client.infras.list({ workspace: 'default' });
    await client.close();
    expect(counts()).toEqual({ opened: connections, closed: connections });
  });

  test('closes if there is nothing to connect to', async () => {
    const open = () => Promise.reject(noWorker());
    await expect(createLastingClient(open, { away() {}, back() {} }).close()).resolves.toBeUndefined();
  });

  test('does not connect again for a call that is pending when it is closed', async () => {
    let lose = () => {};
    let opened = 0;
    const open = async (): Promise<Client> => {
      opened += 1;
      const lost = new Promise<never>((_, reject) => {
        lose = () => reject(new ConnectionLost());
      });
      return clientOver({ call: () => lost, async *stream() {}, close: async () => lose() });
    };
    const client = createLastingClient(open, { away() {}, back() {} });
    const asked = expect(client.providers.plans({ provider: 'aws' })).rejects.toThrow('the worker closed the connection');
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    await asked;
    await expect(client.infras.list({ workspace: 'default' })).rejects.toThrow('the worker closed the connection');
    expect(opened).toBe(1);
  });

  test('asks nothing again that changes something', async () => {
    const { client, said } = clientOn(lost, () => undefined);
    await expect(client.operations.pause({ operation: 'op' })).rejects.toThrow('the worker closed the connection');
    expect(said).toEqual([]);
  });

  test('does not wait for a worker that was not there at the beginning', async () => {
    await expect(clientOn(away).client.infras.list({ workspace: 'default' })).rejects.toThrow('no worker runs');
  });

  test.each([
    [
      'had taken effect',
      () => {
        throw inputError({ code: 'operation-exists', what: 'submit', why: 'it is there' });
      },
    ],
    ['had not', () => ({ operation: 'op' })],
  ])('submits again under the same id, and knows the operation if the first call %s', async (_, second) => {
    const { client } = clientOn(lost, second);
    expect(await client.operations.submit({ request: { id: 'op' } as never })).toEqual({ operation: 'op' });
  });

  test('previews again under the same id, and knows the preview', async () => {
    const exists = () => {
      throw inputError({ code: 'operation-exists', what: 'submit', why: 'it is there' });
    };
    const request = { id: 'cluster-ensure-shop-1', kind: 'cluster', intent: { verb: 'ensure' } } as never;
    expect(await clientOn(lost, exists).client.plans.preview({ request })).toEqual({ operation: 'cluster-check-shop-1' });
    const applied = await clientOn(lost, exists).client.plans.apply({ request, hash: 'a'.repeat(64) });
    expect(applied).toEqual({ operation: 'cluster-ensure-shop-1' });
  });

  test('applies a secret again under the same id of a batch, and knows the batch', async () => {
    const exists = () => {
      throw inputError({ code: 'operation-exists', what: 'submit', why: 'it is there' });
    };
    const input = { workspace: 'default', name: 'pw', as: 'batch-secret-1', infras: ['shop'] };
    expect(await clientOn(lost, exists).client.secrets.apply(input)).toEqual({ batch: 'batch-secret-1', infras: ['shop'] });
  });

  test('follows on, each event as it comes', async () => {
    let count = 0;
    const { client, said } = clientOn(() => ({ type: 'progress', progress: ++count }) as const);
    const seen: unknown[] = [];
    for await (const event of client.operations.follow({ operation: 'op' })) {
      seen.push(event);
      if (seen.length === 3) break;
    }
    expect(seen).toHaveLength(3);
    expect(said).toEqual(['away', 'back', 'away', 'back']);
  });

  test('goes on behind the last event, and knows that a worker answers before anything happens', async () => {
    const said: string[] = [];
    const calls: unknown[] = [];
    let streams = 0;
    const open = async (): Promise<Client> =>
      clientOver({
        async call(method, input) {
          calls.push([method, input]);
          if (calls.length === 2) throw noWorker();
          return {};
        },
        async *stream(_, input) {
          calls.push(input);
          streams++;
          if (streams === 2) expect(said).toEqual(['away', 'back']);
          else yield { type: 'progress', cursor: `at-${streams}` };
          if (streams < 3) throw new ConnectionLost();
        },
        close: async () => {},
      });
    const client = createLastingClient(open, { away: () => said.push('away'), back: () => said.push('back'), forMs: 5_000 });
    const seen: unknown[] = [];
    for await (const { cursor } of client.operations.follow({ operation: 'op' })) seen.push(cursor);
    expect(seen).toEqual(['at-1', 'at-3']);
    const stands = ['operations.progress', { operation: 'op' }];
    const continued = { operation: 'op', after: 'at-1' };
    expect(calls).toEqual([{ operation: 'op' }, stands, stands, continued, stands, continued]);
    expect(said).toEqual(['away', 'back', 'away', 'back']);
  });

  test('follows many at once, and a stream that is cut cuts no other', async () => {
    let opened = 0;
    const begun: string[] = [];
    const open = async (): Promise<Client> => {
      const connection = ++opened;
      const closing = new AbortController();
      const closed = new Promise<void>((resolve) => closing.signal.addEventListener('abort', () => resolve()));
      return clientOver({
        call: async () => ({}),
        async *stream(_, input) {
          const { operation, after } = input as { operation: string; after?: string };
          begun.push(`${operation} on ${connection}`);
          if (after === undefined) yield { type: 'progress', cursor: 'first' };
          // As a proxy does it to one that is idle.
          if (operation === 'cut' && connection === 1) throw new ConnectionLost();
          if (operation === 'cut') return;
          await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1_500))]);
          if (closing.signal.aborted) throw new ConnectionLost();
        },
        close: async () => closing.abort(),
      });
    };
    const client = createLastingClient(open, { away() {}, back() {}, forMs: 5_000 });
    const follow = async (operation: string) => {
      for await (const _ of client.operations.follow({ operation }));
    };
    await Promise.all(['a', 'cut', 'b'].map(follow));
    expect(begun.toSorted()).toEqual(['a on 1', 'b on 1', 'cut on 1', 'cut on 2']);
  });

  test('ends with an exit code of its own, the id, and the command that follows on', async () => {
    const { client } = clientOn(lost, away);
    const error = await client.operations.result({ operation: 'op-1' }).catch((one: unknown) => one);
    expect(error).toMatchObject({
      details: { code: 'not-followed', on: 'op-1', hint: expect.stringContaining('provisioning workflow follow op-1') },
    });
    expect(exitCodeOfCommand((error as { details: Parameters<typeof exitCodeOfCommand>[0] }).details)).toBe(8);
    const batch = await clientOn(lost, away)
      .client.batches.state({ batch: 'batch-1' })
      .catch((one: unknown) => one);
    expect(batch).toMatchObject({ details: { hint: expect.stringContaining('provisioning batch follow batch-1') } });
  });
});
