import { describe, expect, test } from 'vitest';
import { upcloudClient } from '../client/index.js';
import { quietFetch } from './quiet.js';

describe('what is sent to an account that wants quiet', () => {
  const open = (answers: Response[]) => {
    const clock = { now: 1_000_000 };
    const sent: number[] = [];
    const send = async () => {
      sent.push(clock.now);
      return answers.shift() ?? Response.json({ zones: { zone: [] } });
    };
    const client = upcloudClient({ credentials: { token: 't' }, fetch: quietFetch(send as typeof fetch, () => clock.now) });
    return { clock, sent, client };
  };
  const busy = (headers: Record<string, string> = {}) =>
    Response.json({ error: { error_code: 'X', error_message: 'x' } }, { status: 429, headers });

  test('is nothing before its time, whoever asks, and each is told how long it takes', async () => {
    const { clock, sent, client } = open([busy({ 'retry-after': '7' })]);
    await expect(client.offer.zones()).rejects.toMatchObject({ retryAfterMs: 7_000 });
    clock.now += 4_500;
    await expect(client.offer.plans()).rejects.toMatchObject({ status: 429, retryAfterMs: 2_500 });
    expect(sent).toHaveLength(1);
    clock.now += 2_500;
    await client.offer.zones();
    expect(sent).toEqual([1_000_000, 1_007_000]);
  });

  test('is nothing for a second where it does not say how long', async () => {
    const { clock, sent, client } = open([busy()]);
    await expect(client.offer.zones()).rejects.toMatchObject({ status: 429 });
    clock.now += 999;
    await expect(client.offer.zones()).rejects.toMatchObject({ retryAfterMs: 1 });
    clock.now += 1;
    await client.offer.zones();
    expect(sent).toHaveLength(2);
  });
});
