import { Context } from '@temporalio/activity';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fact, share, text } from '../../sdk/index.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import { beginAttempt } from '../worked-time.js';
import { createAct } from './act.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const store = {
  name: 'store',
  group: {
    of: () => 'main',
    facts: () => ({ state: fact('ask', ({ stdout }) => stdout, '') }),
    standing: () => ({ serves: false, group: 'g1' }),
    quorum: 'majority',
    shares: { token: { title: 'Make a token', lifetimeSeconds: 600, make: () => 'token' } },
  },
};

test('an act gives signs of life with its worked time while it waits for a member, and is canceled then', async () => {
  const environment = activityEnvironment({ heartbeatDetails: { workedMs: 60_000 } });
  const worked: number[] = [];
  environment.on('heartbeat', ({ workedMs }) => void worked.push(workedMs));
  const secrets = { list: async () => [], listScoped: async () => [], within: () => ({ get: async () => undefined }) };
  const host = { look: async () => ({ answers: [{ found: { state: '-' } }] }), stream: async () => 'never', run: async () => ({}) };
  const act = createAct({ hostOf: () => host, ownAmong: async () => ({ store }), secrets, providers: {} } as never);
  const members = ['a', 'b', 'c'].map((server) => ({
    ...{ server, machine: server, config: {}, installed: true as const, at: { server, provider: 'local', connection: {} } },
  }));
  const input = {
    ...{
      scope: { workspace: 'default', infra: 'shop', uuid: 'u' },
      server: 'c',
      taskserv: 'store',
      operation: 'op',
      generation: 1,
    },
    steps: [{ title: 'Join', run: 'join', undo: 'part', stdin: text`${share('token')}` }],
    groups: [{ taskserv: 'store', name: 'main', members }],
  };
  await environment.run(async () => {
    beginAttempt(Context.current(), 600_000);
    const ended = expect(act.act(input as never)).rejects.toThrow('CANCELLED');
    await vi.advanceTimersByTimeAsync(16_000);
    expect(worked.length).toBeGreaterThanOrEqual(7);
    expect(worked.at(-1)).toBeGreaterThan(75_000);
    environment.cancel('CANCELLED');
    await vi.advanceTimersByTimeAsync(0);
    await ended;
  });
});
