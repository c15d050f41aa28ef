import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { createCourier } from './courier.js';

/** A server that writes down the signals it gets. */
function server() {
  const signals: unknown[][] = [];
  const getHandle = () => ({ signal: async (_name: string, news: unknown[]) => void signals.push(news) });
  return { signals, courier: createCourier({ workflow: { getHandle } } as unknown as Client) };
}

/** Far longer than a test may take: who waits for it is never heard of. */
const FOREVER = 3_600_000;

test('news wait for company only while some is expected', async () => {
  const { signals, courier } = server();
  courier.expect('infra', 4);
  await courier.bring('infra', 'told', 1, FOREVER, true);
  const second = courier.bring('infra', 'told', 2, FOREVER, true);
  const third = courier.bring('infra', 'told', 3, FOREVER, true);
  await sleep(20);
  expect(signals).toEqual([[1]]);
  await Promise.all([second, third, courier.bring('infra', 'told', 4, FOREVER, true)]);
  expect(signals).toEqual([[1], [2, 3, 4]]);
});

test('without company to come, news go at once; with some, not later than they may', async () => {
  const { signals, courier } = server();
  await courier.bring('infra', 'told', 1, FOREVER);
  await courier.bring('infra', 'told', 2, FOREVER);
  courier.expect('infra', 2);
  await courier.bring('infra', 'told', 3, 5, true);
  expect(signals).toEqual([[1], [2], [3]]);
});
