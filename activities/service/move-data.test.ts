import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import type { Host, HostOf } from '../host/host.js';
import { createMoveData, type MoveInput } from './move-data.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const part = { title: 'Copy it', asks: 'asks', read: 'read', write: 'write' };
const input = {
  scope: { workspace: 'default', infra: 'shop' },
  taskserv: 'store',
  former: { server: 'a' },
  new: { server: 'b' },
  part,
} as unknown as MoveInput;

/** Plays the part between two hosts, of which the first sends. */
async function move(send: NonNullable<Host['stream']>, asked = '12') {
  const ran: string[] = [];
  let written = '';
  const streams: Record<string, NonNullable<Host['stream']>> = {
    a: async (script, options) => {
      ran.push(`a: ${script}`);
      return send(script, options);
    },
    b: async (script, options) => {
      ran.push(`b: ${script}`);
      if (script === 'asks') return asked;
      written = (await buffer(options?.input as never)).toString();
      return '';
    },
  };
  const hostOf = (({ server }: { server: string }) => ({ stream: streams[server] })) as unknown as HostOf;
  const { movePart } = createMoveData({ hostOf, ownAmong: (async () => []) as never });
  const failure = await activityEnvironment()
    .run(() => movePart(input))
    .then(
      () => undefined,
      (error: Error) => error.message,
    );
  return { ran, written, failure };
}

test('the data goes from the former host to the new one, which says where to begin', async () => {
  const { ran, written, failure } = await move(async (_, options) => {
    (options?.output as unknown as NodeJS.WritableStream | undefined)?.end('the data');
    return '';
  });
  expect({ written, failure }).toEqual({ written: 'the data', failure: undefined });
  expect(ran).toEqual(['b: asks', 'b: write', 'a: ASKED=12\nread']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a host that fails ends the other, and nothing is reported any more', async () => {
  const { written, failure } = await move(async () => {
    throw new Error('the disk is gone');
  });
  expect({ written, failure }).toEqual({ written: '', failure: 'the disk is gone' });
  expect(vi.getTimerCount()).toBe(0);
});

test('an answer that is no word never comes into a script', async () => {
  const { ran, failure } = await move(async () => '', '12; rm -rf /');
  expect(failure).toBe('b sent an unexpected answer to the move');
  expect(ran).toEqual(['b: asks']);
});
