import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ProvisioningError } from '../../../core/errors.js';
import { MEANINGS, translateError } from '../../../providers/hetzner/errors.js';
import { hetzner } from '../../../providers/hetzner/index.js';
import { cloudData } from '../upcloud/facts.js';
import { USED, whyUnchecked } from './specification.js';

const TOKEN = 'a-token-that-nobody-may-see';

/** Returns the error of reading the project if the API answers like this. */
async function failure(answer: RequestListener): Promise<ProvisioningError> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const env = { HCLOUD_TOKEN: TOKEN, HCLOUD_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  const { strangers } = await hetzner.connect(hetzner.config.parse({}), { env, secret: async () => undefined });
  const error = await strangers?.().then(
    () => undefined,
    (thrown) => thrown,
  );
  server.closeAllConnections();
  server.close();
  expect(error?.message).not.toContain(TOKEN);
  return error;
}

describe('what Hetzner says', () => {
  test.skipIf(whyUnchecked)('has a meaning for each code that its specification names', () => {
    const { paths } = JSON.parse(readFileSync(`${cloudData}/hetzner-openapi/hcloud.json`, 'utf8')) as {
      paths: Record<string, Record<string, { description?: string }>>;
    };
    const texts = Object.entries(paths).flatMap(([path, item]) =>
      USED.test(path) ? Object.values(item).map((one) => one.description ?? '') : [],
    );
    const codes = new Set(
      texts.flatMap((text) => [...text.matchAll(/^\|[^|]*\| `([a-z0-9_]+)` \|/gm)].map(([, code = '']) => code)),
    );
    expect(codes.size).toBeGreaterThan(15);
    expect([...codes].filter((code) => !(code in MEANINGS))).toEqual([]);
  });

  test('keeps its own code and the request in the text', () => {
    const vendor = { code: 'resource_limit_exceeded', message: 'server limit\nexceeded', status: 403, request: 'abc123' };
    const { message, details } = translateError(vendor, { what: 'make the server', on: 'web-1' });
    expect(message).toBe(
      'cannot make the server: web-1: server limit exceeded [resource_limit_exceeded, HTTP 403, request abc123]',
    );
    expect(details).toMatchObject({ code: 'quota-exceeded', blame: 'user', hint: expect.stringMatching(/limit/) });
  });

  test.each<[string, number, object | string, object]>([
    [
      'a wrong token',
      401,
      { error: { code: 'unauthorized', message: 'unable to authenticate' } },
      { code: 'credentials', blame: 'user' },
    ],
    [
      'a page of HTML',
      200,
      '<html>Bad gateway</html>',
      { code: 'hetzner-unreadable', blame: 'weather', why: expect.stringMatching(/HTML/) },
    ],
    ['a page of HTML with 502', 502, '<html>Bad gateway</html>', { blame: 'weather' }],
    [
      'half an answer',
      200,
      '{"servers": [{"id": 1',
      { code: 'hetzner-unreadable', blame: 'weather', why: expect.stringMatching(/incomplete JSON/) },
    ],
    ['something else than promised', 200, { servers: [{ id: 'one' }], meta: {} }, { code: 'hetzner-answer', blame: 'bug' }],
    ['a conflict', 409, { error: { code: 'conflict', message: 'item was modified' } }, { code: 'hetzner-busy', blame: 'weather' }],
    [
      'a code that nobody knows',
      400,
      { error: { code: 'brand_new', message: 'no' } },
      { code: 'refused-by-provider', blame: 'user', why: expect.stringMatching(/brand_new/) },
    ],
  ])('is understood: %s', async (_, status, body, expected) => {
    const error = await failure((_request, response) => {
      response.writeHead(status, { 'content-type': String(body).startsWith('<') ? 'text/html' : 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    expect(error.details).toMatchObject(expected);
  });

  test('is transient where nobody answers', async () => {
    const error = await failure((request) => request.socket.destroy());
    expect(error.details).toMatchObject({ code: 'hetzner-unreachable', blame: 'weather' });
  });

  test('is not asked without a token, or with one that is none', async () => {
    const connect = (env: Record<string, string>, config: object = {}) =>
      hetzner.connect(hetzner.config.parse(config), { env, secret: async () => undefined });
    await expect(connect({})).rejects.toMatchObject({
      details: { code: 'no-credentials', hint: expect.stringMatching(/HCLOUD_TOKEN/) },
    });
    await expect(connect({ HCLOUD_TOKEN: TOKEN }, { account: 'prod' })).rejects.toMatchObject({
      details: { code: 'no-credentials', hint: expect.stringMatching(/HCLOUD_TOKEN_PROD.*hetzner\/prod\/token/) },
    });
    const odd = connect({ HCLOUD_TOKEN: 'two words' });
    await expect(odd).rejects.toMatchObject({ details: { code: 'credentials' } });
    await expect(odd).rejects.not.toThrow(/two words/);
  });
});
