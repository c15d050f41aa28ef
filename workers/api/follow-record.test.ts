import { expect, test, vi } from 'vitest';
import type { EngineRecord } from '../../core/engine/engine.js';
import { followRecord } from './follow-record.js';

const recordAt = (address: string, more: Partial<EngineRecord> = {}) =>
  ({ kind: 'own', address, namespace: 'default', taskQueue: 'queue', ...more }) as EngineRecord;

/** Follows a record that the test can set, and logs the events. */
function following(make = async ({ address }: EngineRecord) => address) {
  const [FIRST, seen] = [recordAt('127.0.0.1:1'), [] as string[]];
  let recorded: EngineRecord | undefined = FIRST;
  const followed = followRecord({
    ...{ record: FIRST, made: FIRST.address, make, everyMs: 1 },
    read: async () => recorded,
    close: async (made) => void seen.push(`closed ${made}`),
    log: (line) => void seen.push(line),
  });
  const set = (record: EngineRecord | undefined) => {
    recorded = record;
  };
  return { ...followed, seen, set };
}

const rounds = () => new Promise((resolve) => setTimeout(resolve, 20));

test('another address of the engine is connected to, and the former connection is closed', async () => {
  const { current, close, seen, set } = following();
  set(recordAt('127.0.0.1:2'));
  await vi.waitFor(() => expect(current()).toBe('127.0.0.1:2'), 30_000);
  await close();
  expect(seen).toEqual(['connected to the engine at 127.0.0.1:2', 'closed 127.0.0.1:1', 'closed 127.0.0.1:2']);
});

test('the connection stays while no engine or the same one is recorded', async () => {
  const { current, close, seen, set } = following();
  set(undefined);
  await rounds();
  set(recordAt('127.0.0.1:1', { ui: 'http://127.0.0.1:8233' }));
  await rounds();
  expect([current(), seen]).toEqual(['127.0.0.1:1', []]);
  await close();
});

test('what cannot be connected to is tried again, and said once', async () => {
  let tries = 0;
  const { current, close, seen, set } = following(async ({ address }) => {
    if (++tries < 3) throw new Error('nothing listens');
    return address;
  });
  set(recordAt('127.0.0.1:2'));
  await vi.waitFor(() => expect(current()).toBe('127.0.0.1:2'), 30_000);
  await close();
  expect(seen.slice(0, 2)).toEqual([
    'cannot connect to the engine at 127.0.0.1:2: nothing listens',
    'connected to the engine at 127.0.0.1:2',
  ]);
});
