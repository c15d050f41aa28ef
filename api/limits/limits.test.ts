import { expect, test } from 'vitest';
import { createTestApi, problemIn, TOKEN } from '../test-api.js';
import { limitRequests } from './request-limits.js';

/** Creates a server with these limits, which gets requests from addresses. */
function limited(rates = { account: 3, address: 5 }) {
  const heard = { failed: [] as string[], accepted: 0 };
  const blocked = new Map<string, number>();
  const signIns = {
    blockedFor: (address: string, bearer: string) => (bearer.endsWith('known') ? undefined : blocked.get(address)),
    failed: (address: string) => void heard.failed.push(address),
    accepted: () => void heard.accepted++,
  };
  const { api } = createTestApi({ limits: { requests: limitRequests(rates), signIns, trustedProxies: new Set() } });
  const ask = async (remoteAddress: string, token = TOKEN, path = '/v1/things') =>
    api.fetch(new Request(`http://localhost${path}`, { headers: { host: 'localhost', authorization: `Bearer ${token}` } }), {
      incoming: { socket: { remoteAddress } },
    });
  return { ask, heard, blocked };
}

test('an answer says what is left, as structured fields', async () => {
  const { ask } = limited();
  const { headers, status } = await ask('192.0.2.1');
  expect(status).toBe(200);
  expect(headers.get('ratelimit-policy')).toBe('"address";q=5;w=60, "account";q=3;w=60');
  expect(headers.get('ratelimit')).toMatch(/^"address";r=4;t=\d+, "account";r=2;t=\d+$/);
});

test('an account that asks too often is refused with the time to wait, from whatever address', async () => {
  const { ask } = limited();
  for (let at = 0; at < 3; at++) expect((await ask(`192.0.2.${at}`)).status).toBe(200);
  const refused = await ask('192.0.2.9');
  expect(await problemIn(refused.clone() as never)).toBe('429 rate-limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit')).toMatch(/^"account";r=0;t=\d+$/);
});

test('an address that asks too often is refused, also without a token; another one is not', async () => {
  const { ask } = limited({ account: 100, address: 2 });
  for (let at = 0; at < 2; at++) expect((await ask('192.0.2.1', 'bad')).status).toBe(401);
  expect(await problemIn(await ask('192.0.2.1'))).toBe('429 rate-limited');
  expect((await ask('192.0.2.2')).status).toBe(200);
});

test('probes of health are not counted', async () => {
  const { ask } = limited({ account: 1, address: 1 });
  for (let at = 0; at < 5; at++) expect((await ask('192.0.2.1', TOKEN, '/health/live')).status).toBe(200);
});

test('a failed sign-in counts for its address, and a blocked address is refused before its token is looked at', async () => {
  const { ask, heard, blocked } = limited({ account: 100, address: 100 });
  expect((await ask('192.0.2.1', 'bad')).status).toBe(401);
  expect((await ask('192.0.2.1')).status).toBe(200);
  expect(heard).toEqual({ failed: ['192.0.2.1'], accepted: 1 });
  blocked.set('192.0.2.1', 90_000);
  const refused = await ask('192.0.2.1', 'bad');
  expect([await problemIn(refused.clone() as never), refused.headers.get('retry-after')]).toEqual(['429 rate-limited', '90']);
  expect(heard.failed).toHaveLength(1);
});
