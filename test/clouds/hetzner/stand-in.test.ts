import { afterAll, describe, expect, test } from 'vitest';
import { selects } from './selectors.js';
import { specification, whyUnchecked } from './specification.js';
import { startHetzner } from './stand-in.js';

const standIn = await startHetzner({ requests: 100, limits: { servers: 1 } });
// The rejected requests here are wrong on purpose.
afterAll(() => standIn.close().catch(() => {}));

const call = async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${standIn.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${standIn.endpoint}/${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) };
};
const server = { name: 'a', server_type: 'cx23', image: 'debian-12', location: 'fsn1' };

describe("Hetzner's stand-in", () => {
  test.skipIf(whyUnchecked)('refuses what the specification does not know, and takes what it knows', async () => {
    for (const [method, path, body] of [
      ['POST', 'servers', { ...server, colour: 'red' }],
      ['POST', 'servers', { ...server, labels: { a: 'not a value' } }],
      ['POST', 'servers', { name: 'a' }],
      ['POST', 'servers', { ...server, networks: ['1'] }],
      ['POST', 'volumes', { name: 'a', size: '10', location: 'fsn1' }],
      ['POST', 'servers/1/actions/explode', {}],
      ['PUT', 'servers/1', { status: 'running' }],
    ] as const) {
      const before = standIn.violations.length;
      const { json } = await call(method, path, body);
      expect([path, json.error.code, standIn.violations.length]).toEqual([path, 'invalid_input', before + 1]);
    }
    const before = standIn.violations.length;
    expect((await call('POST', 'servers', server)).status).toBe(201);
    expect(standIn.violations).toHaveLength(before);
  });

  test.skipIf(whyUnchecked)('has its own answers judged', async () => {
    const spec = await specification();
    const asked = { method: 'GET', path: '/v1/locations', query: {}, headers: {} };
    const { json } = await call('GET', 'locations');
    expect(spec.answer(asked, 200, json)).toEqual([]);
    expect(spec.answer(asked, 200, { ...json, locations: [{ id: 'one' }] })).not.toEqual([]);
    expect(spec.answer(asked, 200, { locations: json.locations })).not.toEqual([]);
  });

  test('says how many requests are left, and refuses when none is', async () => {
    let { status, headers } = await call('GET', 'locations');
    expect(headers.get('ratelimit-limit')).toBe('100');
    for (let left = 100; status === 200 && left > 0; left--) ({ status, headers } = await call('GET', 'locations'));
    expect([status, headers.get('ratelimit-remaining')]).toEqual([429, '0']);
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
  });

  test('understands label selectors', () => {
    const labels = { a: '1', b: 'x' };
    for (const selector of ['a==1', 'a=1,b', '!c', 'a!=2', 'b in (x,y),a==1', 'a notin (2,3)'])
      expect([selector, selects(selector, labels)]).toEqual([selector, true]);
    for (const selector of ['a==2', 'c', '!a', 'a!=1', 'b in (y,z)', 'c in (1)', 'a==1,b notin (x)'])
      expect([selector, selects(selector, labels)]).toEqual([selector, false]);
  });
});
