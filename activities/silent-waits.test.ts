import { Context } from '@temporalio/activity';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { activityEnvironment } from '../test/support/activity-environment.js';
import { beatWhile } from './beating.js';
import { reportSilence } from './host/script/told-silence.js';
import { FIRST_BOOT } from './host/ssh/first-contact.js';
import type { ExecOptions } from './host/transport.js';
import { createServerReady } from './machine/server-ready.js';
import { beat, beginAttempt } from './worked-time.js';

const BEGAN = '2026-11-29T10:00:00.000Z';
beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['Date', 'performance', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'],
    now: Date.parse(BEGAN),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const REASON = `no answer from lb since ${BEGAN}; tries until 2026-11-29T10:10:00.000Z`;

/** Heartbeats of endless work, after so many seconds each. */
async function shown(seconds: readonly number[], work: () => Promise<unknown>, details: object = {}): Promise<unknown[]> {
  const environment = activityEnvironment({ attempt: 'again' in details ? 3 : 1, heartbeatDetails: details });
  let last: { server?: string; step?: string } | undefined;
  environment.on('heartbeat', (said) => {
    last = said;
  });
  const seen: unknown[] = [];
  await environment.run(async () => {
    beginAttempt(Context.current(), 600_000);
    void beatWhile(work).catch(() => {});
    let now = 0;
    for (const second of seconds) {
      await vi.advanceTimersByTimeAsync((second - now) * 1_000);
      now = second;
      seen.push(last && { server: last.server, step: last.step });
    }
  });
  return seen;
}

const never = () => new Promise<never>(() => {});

/** Activity that makes a server ready, with a provider or SSH server that waits. */
const readying = (
  ready: (beat: (what: string) => void) => Promise<unknown>,
  contact: (beat: (what: string) => void) => Promise<void> = never,
) => {
  const provider = { servers: { ready: (_: string, { beat }: { beat: (what: string) => void }) => ready(beat) } };
  const host = {
    access: { firstContact: ({ beat }: { beat: (what: string) => void }) => contact(beat), takeFirstSeen: () => undefined },
  };
  const serverReady = createServerReady({
    ...{ logs: {}, taskQueue: 'provisioning' },
    connectionOf: async () => provider,
    hostOf: () => host,
  } as never);
  return () =>
    serverReady({
      scope: { workspace: 'default', infra: 'shop', uuid: 'u-1' },
      spec: { name: 'lb', provider: 'local' },
      key: 'k',
    } as never);
};

test('a machine that is paused is waited for with a reason after ten seconds, in words that stay', async () => {
  const paused = readying(async (say) => {
    for (;;) {
      say('Wait for its start');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });
  const told = { server: 'lb', step: `Wait for its start: ${REASON}` };
  expect(await shown([5, 14, 60, 590], paused)).toEqual([{ server: 'lb', step: 'Wait for its start' }, told, told, told]);
});

test('a machine that lets us in has answered: its first boot may take its time', async () => {
  const booting = readying(
    async () => ({ id: 'i', connection: { kind: 'ssh' } }),
    async (say) => {
      say('Wait until it lets us in');
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      say(FIRST_BOOT);
      await never();
    },
  );
  expect(await shown([15, 60], booting)).toEqual([
    { server: 'lb', step: `Wait until it lets us in: ${REASON}` },
    { server: 'lb', step: FIRST_BOOT },
  ]);
});

/** A host that prints something after some seconds, and does not end. */
const host = (seconds: number) =>
  reportSilence(
    {
      exec: async (_: string, { onOutput }: ExecOptions = {}) => {
        await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
        onOutput?.('begun');
        return never();
      },
    },
    'lb',
  );

test('a script that is to be short is waited for with a reason', async () => {
  const asked = () => host(1).exec('true', { limitMs: 20_000 });
  expect(await shown([5, 14], asked)).toEqual([
    expect.objectContaining({ step: undefined }),
    { server: 'lb', step: `Wait for the host: ${REASON}` },
  ]);
});

test('work that has begun to answer may be silent, and data says itself how far it is', async () => {
  const work = async (options: ExecOptions) => {
    beat({ server: 'lb', taskserv: 'redis', step: 'Install' });
    await host(15).exec('true', options);
  };
  const plain = { server: 'lb', step: 'Install' };
  expect(await shown([5, 14, 20], () => work({ onOutput() {} }))).toEqual([
    plain,
    { server: 'lb', step: `Install: ${REASON}` },
    plain,
  ]);
  expect(await shown([5, 14, 20], () => work({}))).toEqual([plain, plain, plain]);
});

test('after failed attempts their reason is told, and no other', async () => {
  const details = { workedMs: 60_000, again: { attempt: 2, why: 'cannot connect by SSH' } };
  const asked = () => host(1).exec('true', { limitMs: 20_000 });
  expect(await shown([14], asked, details)).toEqual([{ server: undefined, step: undefined }]);
});
