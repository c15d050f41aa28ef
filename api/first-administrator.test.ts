import { expect, test } from 'vitest';
import { createTestApi, problemIn } from './test-api.js';

const { ask, json } = createTestApi();

test('the first administrator gets a token for the code', async () => {
  const path = '/v1/first-administrator';
  const made = { account: 'admin', token: 'prov_a_b', expiresAt: '2027-01-01T00:00:00.000Z' };
  const codes: string[] = [];
  const redeem = async (code: string) => {
    codes.push(code);
    return made;
  };
  const { ask: askFirst } = createTestApi({ redeem });
  const plain = (body: unknown) => ({ ...json(body), headers: { ...json(body).headers, authorization: '' } });
  const answer = await askFirst('POST', path, plain({ code: 'A-B' }));
  expect([answer.status, answer.headers.get('cache-control'), await answer.json()]).toEqual([201, 'no-store', made]);
  expect(codes).toEqual(['A-B']);
  for (const body of [{}, { code: 1 }, { code: 'A', actor: 'eve' }])
    expect(await problemIn(await askFirst('POST', path, plain(body)))).toBe('400 bad-request');
  expect(await problemIn(await askFirst('POST', path, plain({ code: 'A'.repeat(2_000) })))).toBe('413 too-large');
  expect(await problemIn(await askFirst('GET', path))).toBe('405 verb-not-allowed');
  expect(codes).toHaveLength(1);
  expect(await problemIn(await ask('POST', path, json({ code: 'A-B' })))).toBe('404 unknown-call');
});
