import { beforeEach, describe, expect, test } from 'vitest';
import { createTestApi, problemIn, TOKEN } from './test-api.js';

let { api, ask, json, heard, logged } = createTestApi();
beforeEach(() => {
  ({ api, ask, json, heard, logged } = createTestApi());
});

describe('a call', () => {
  test('has its input in path, query and body', async () => {
    const listed = await ask('GET', '/v1/things?limit=2&marks=a,b&all=true&filter[colour]=light%20red');
    expect([listed.status, await listed.json()]).toEqual([
      200,
      { items: [], input: { limit: 2, marks: ['a', 'b'], all: true, filter: { colour: 'light red' } } },
    ]);
    expect(await (await ask('GET', '/v1/things/hetzner%2Fprod')).json()).toEqual({ thing: 'hetzner/prod' });
    const changed = await ask('POST', '/v1/things/web-1/change', json({ why: 'because' }));
    expect([changed.status, await changed.text()]).toEqual([204, '']);
    expect(heard.calls.at(-1)).toEqual({ name: 'things.change', actor: 'ann@desk', input: { thing: 'web-1', why: 'because' } });
  });

  test('may leave out a body that has nothing required', async () => {
    expect((await ask('POST', '/v1/things/web-1/change')).status).toBe(204);
  });

  test('has an id, the caller’s own if it is a plain one', async () => {
    const idFor = async (given: string) =>
      (await ask('GET', '/v1/things', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await idFor('build-7.3')).toBe('build-7.3');
    for (const given of ['a b', '{"a":1}', 'x'.repeat(65)]) expect(await idFor(given)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is answered for its caller alone', async () => {
    const { headers } = await ask('GET', '/v1/things');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toBeNull();
    const secure = createTestApi({ isSecure: true });
    expect((await secure.ask('GET', '/v1/things')).headers.get('strict-transport-security')).toContain('max-age=');
  });
});

describe('an error', () => {
  test('is a problem with the code, and the status of its kind', async () => {
    const response = await ask('GET', '/v1/things/gone', { headers: { 'x-request-id': 'r-1' } });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect([response.status, await response.json()]).toEqual([
      404,
      {
        type: 'urn:provisioning:error:unknown-infra',
        title: 'Not found',
        status: 404,
        detail: 'cannot find the thing: gone: there is no such thing',
        kind: 'not-found',
        request: 'r-1',
        ...{ code: 'unknown-infra', blame: 'user', what: 'find the thing', on: 'gone', why: 'there is no such thing' },
      },
    ]);
  });

  test('that a cloud does not take credentials of the platform says nothing of the caller’s token', async () => {
    const response = await ask('GET', '/v1/things/cloud');
    expect([await problemIn(response), response.headers.get('www-authenticate')]).toEqual(['424 credentials', null]);
  });

  test.each(['broken', 'text'])('that is none of ours (%s) is logged, and its text is not answered', async (thing) => {
    const response = await ask('GET', `/v1/things/${thing}`, { headers: { 'x-request-id': 'r-2' } });
    const text = await response.text();
    expect([response.status, text.includes('hunter2'), text.includes('no error')]).toEqual([500, false, false]);
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ request: 'r-2', code: 'unexpected' });
  });
});

describe('a token', () => {
  test.each([
    ['is missing', ''],
    ['is another', 'Bearer prov_1_other'],
    ['is of another scheme', `Basic ${TOKEN}`],
    ['has more behind it', `Bearer ${TOKEN} x`],
    ['is too long', `Bearer ${'a'.repeat(5_000)}`],
    ['is empty', 'Bearer '],
  ])('that %s gets 401, before anything is read', async (_, authorization) => {
    const response = await ask('POST', '/v1/nowhere', { body: '{', headers: { authorization } });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="provisioning"');
    expect(await problemIn(response)).toBe('401 bad-token');
    expect(heard.calls).toEqual([]);
  });

  test.each([
    `/v1/things?token=${TOKEN}`,
    '/v1/things?access_token=x',
    `/v1/things?limit=${TOKEN}`,
    `/v1/things/${TOKEN}`,
    `/v1/things/%70rov_1_good`,
    '/version?api-key=x',
  ])('in a URL is refused: %s', async (path) => {
    expect(await problemIn(await ask('GET', path))).toBe('400 token-in-url');
    expect(heard.calls).toEqual([]);
  });
});

describe('pages of other sites', () => {
  test.each(['evil.example', 'evil.example:80', 'localhost.evil.example', '127.0.0.1.evil.example', ''])(
    'under a name that leads here (%s) get nothing',
    async (host) => {
      expect(await problemIn(await ask('GET', '/v1/things', { headers: { host } }))).toBe('421 host-not-served');
    },
  );

  test.each([
    ...['0.0.0.0:8443', '[::]:8443', '[::0.0.0.0]', '[::ffff:0:0]', '127.1', '2130706433', '0x7f000001', '192.0.2.07'],
    ...['fe80::1:8443', '[fe80::1%eth0]:8443', '[evil.example]', '[192.0.2.7]', '192.0.2.7.', '192.0.2.7@evil.example'],
  ])('under a form of an address that no browser sends (%s) get nothing', async (host) => {
    expect(await problemIn(await ask('GET', '/v1/things', { headers: { host } }))).toBe('421 host-not-served');
  });

  test.each([
    ...['localhost', 'LOCALHOST:8443', '127.0.0.1:8443', '[::1]:8443', 'api.example.org'],
    // Addresses of a machine that translates addresses: the server does not know them.
    ...['192.0.2.7', '203.0.113.9:8443', '[2001:db8::7]:8443', '[2001:DB8::7]'],
  ])('%s is served', async (host) => {
    const named = createTestApi({ hostNames: new Set(['api.example.org']) });
    expect((await named.ask('GET', '/v1/things', { headers: { host } })).status).toBe(200);
  });

  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'https://localhost:8444', host: 'localhost:8443' },
    { origin: 'http://198.51.100.66:8443', host: '192.0.2.7:8443' },
    { origin: 'http://evil.example', host: '192.0.2.7:8443' },
  ];
  test.each(foreign)('cannot ask %o', async (headers) => {
    for (const path of ['/v1/things', '/openapi.json', '/docs']) {
      const response = await ask('GET', path, { headers });
      expect(await problemIn(response)).toBe('403 cross-site');
    }
    expect(await problemIn(await ask('POST', '/v1/things/x/change', { headers }))).toBe('403 cross-site');
    expect(heard.calls).toEqual([]);
  });

  test('that are our own can ask', async () => {
    const headers = { origin: 'https://localhost:8443', host: 'localhost:8443', 'sec-fetch-site': 'same-origin' };
    expect((await ask('GET', '/v1/things', { headers })).status).toBe(200);
  });
});

describe('a hostile request', () => {
  test.each([
    ['a traversal', 'GET', '/v1/things/..%2f..%2fetc%2fpasswd', {}, '400 bad-request'],
    ['a traversal that is encoded twice', 'GET', '/v1/things/%252e%252e%252fetc', {}, '400 bad-request'],
    ['a traversal within', 'GET', '/v1/things/a%2f..%2fb', {}, '400 bad-request'],
    ['a backslash', 'GET', '/v1/things/a%5cb', {}, '400 bad-request'],
    ['NUL in the path', 'GET', '/v1/things/a%00', {}, '400 bad-request'],
    ['NUL in the query', 'GET', '/v1/things?filter[colour]=a%00', {}, '400 bad-request'],
    ['line breaks for a log', 'GET', '/v1/things?filter[colour]=a%0d%0aSet-Cookie:x', {}, '400 bad-request'],
    ['no UTF-8', 'GET', '/v1/things/%ff', {}, '400 bad-request'],
    ['a path of nothing', 'GET', '/v1/things/', {}, '400 bad-request'],
    ['an unknown parameter', 'GET', '/v1/things?colour=red', {}, '400 bad-request'],
    ['a parameter of all objects', 'GET', '/v1/things?__proto__=x', {}, '400 bad-request'],
    ['a field of all objects', 'GET', '/v1/things?filter[__proto__]=x', {}, '400 bad-request'],
    ['a repeated parameter', 'GET', '/v1/things?limit=1&limit=2', {}, '400 bad-request'],
    ['a number that is none', 'GET', '/v1/things?limit=1e3', {}, '400 bad-request'],
    ['a query beside a body', 'POST', '/v1/things/x/change?why=y', {}, '400 bad-request'],
    ['a body of a GET', 'GET', '/v1/things', { headers: { 'content-length': '7' } }, '400 bad-request'],
    ['an unknown path', 'GET', '/v1/nowhere', {}, '404 unknown-call'],
    ['a name of all objects', 'GET', '/v1/constructor', {}, '404 unknown-call'],
    ['nothing at all', 'GET', '/', {}, '404 unknown-call'],
  ] as const)('%s is refused', async (_, verb, path, init, problem) => {
    expect(await problemIn(await ask(verb, path, init))).toBe(problem);
    expect(heard.calls).toEqual([]);
  });

  const deep = (levels: number) => `{"request":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
  test.each([
    ['a key __proto__', '{"__proto__":{"why":"x"}}', '400 bad-request'],
    ['a key __proto__ within', '{"request":{"__proto__":{}}}', '400 bad-request'],
    ['10,000 levels', deep(10_000), '400 bad-request'],
    ['no JSON', '{"why":', '400 bad-request'],
    ['a list', '[]', '400 bad-request'],
    ['a text', '"x"', '400 bad-request'],
    ['an unknown field', '{"colour":"red"}', '400 bad-request'],
    ['what the path names', '{"thing":"other"}', '400 bad-request'],
    ['an actor', '{"actor":"root@host"}', '400 bad-request'],
    ['an actor of its request', '{"request":{"actor":"root@host"}}', '400 bad-request'],
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), '400 bad-request'],
  ])('a body with %s is refused', async (_, body, problem) => {
    const response = await ask('POST', '/v1/things/x/change', { body, headers: { 'content-type': 'application/json' } });
    expect(await problemIn(response)).toBe(problem);
    expect(heard.calls).toEqual([]);
  });

  test('brackets within texts are not levels', async () => {
    const text = `{"why":"${'['.repeat(1_000)}\\"${'{'.repeat(1_000)}"}`;
    expect((await ask('POST', '/v1/things/x/change', { body: text, headers: { 'content-type': 'application/json' } })).status).toBe(
      204,
    );
    expect(
      (await ask('POST', '/v1/things/x/change', { body: deep(100), headers: { 'content-type': 'application/json' } })).status,
    ).toBe(204);
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('a body of %s %o is refused', async (type, more) => {
    const response = await ask('POST', '/v1/things/x/change', { body: '{}', headers: { 'content-type': type, ...more } });
    expect(await problemIn(response)).toBe('415 content-type');
  });

  test('a body over the limit is refused, whatever its length says', async () => {
    const said = await ask('POST', '/v1/things/x/change', json({}, { 'content-length': String(10 ** 9) }));
    expect(await problemIn(said)).toBe('413 too-large');
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent++;
        controller.enqueue(Buffer.alloc(1024 * 1024, 0x20));
      },
    });
    const unsaid = await ask('POST', '/v1/things/x/change', { body: endless, headers: { 'content-type': 'application/json' } });
    expect(await problemIn(unsaid)).toBe('413 too-large');
    expect(sent).toBeLessThan(40);
  });

  test.each(['DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'])('the verb %s is not taken where it is not declared', async (verb) => {
    const response = await ask(verb, '/v1/things/x');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect(heard.calls).toEqual([]);
  });
});

describe('a result', () => {
  test('that is there is answered at once', async () => {
    const response = await ask('GET', '/v1/things/ended/result', { headers: { prefer: 'respond-async, wait=1000' } });
    expect([response.status, await response.json(), response.headers.get('preference-applied')]).toEqual([
      200,
      { done: true },
      'wait=55',
    ]);
  });

  test('that is not there in the time that the caller waits is 202, and its wait ends', async () => {
    const response = await ask('GET', '/v1/things/running/result', { headers: { prefer: 'wait=0' } });
    expect([response.status, await response.json(), response.headers.get('retry-after')]).toEqual([202, { ended: false }, '1']);
    expect(heard.aborted).toEqual(['running']);
  });
});

describe('without a token', () => {
  test('health and version are answered, also to probes that name an address', async () => {
    const headers = { authorization: '', host: '10.1.2.3:8443' };
    expect(await (await ask('GET', '/health/live', { headers })).json()).toEqual({ status: 'live' });
    expect(await (await ask('GET', '/health/ready', { headers })).json()).toEqual({ status: 'ready' });
    expect(await (await ask('GET', '/version', { headers: { authorization: '' } })).json()).toEqual({
      version: '1.2.3',
      build: 'abc',
      idempotencyKeys: true,
    });
  });

  test('a platform that does not answer is not ready, and why is only logged', async () => {
    const late = createTestApi({ ready: async () => Promise.reject(new Error('database at 10.0.0.7 refused')) });
    const response = await late.ask('GET', '/health/ready');
    expect([response.status, await response.json()]).toEqual([503, { status: 'not-ready' }]);
    expect(late.logged.join()).toContain('10.0.0.7');
    expect((await late.ask('GET', '/health/live')).status).toBe(200);
  });

  test('an instance that stops is alive and not ready', async () => {
    api.drain();
    expect((await ask('GET', '/health/ready')).status).toBe(503);
    expect((await ask('GET', '/health/live')).status).toBe(200);
  });

  test('the reference is a page with nothing inline', async () => {
    const { script, style } = { script: import.meta.filename, style: import.meta.filename };
    const paged = createTestApi({ pages: { script, style } });
    const page = await paged.ask('GET', '/docs', { headers: { authorization: '' } });
    const text = await page.text();
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(text).not.toMatch(/<script>|<style|style=|\son\w+=|https?:/);
    for (const [, path] of text.matchAll(/(?:src|href)="([^"]+)"/g)) expect((await paged.ask('GET', path ?? '')).status).toBe(200);
    expect((await paged.ask('POST', '/docs')).status).toBe(405);
  });
});
