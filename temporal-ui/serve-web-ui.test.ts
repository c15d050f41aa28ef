import { createSecretKey, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cipher, createCipher } from '../encryption/cipher.js';
import { loadKeyring } from '../encryption/keyring.js';
import { payloadCodec } from '../encryption/payload-codec.js';
import { serveWebUi, type WebUi } from './serve-web-ui.js';

/** Stand-in for Temporal's Web UI: it returns the received requests. */
let upstream: Server;
let ui: WebUi;
let cookie: string;
const seen: IncomingMessage[] = [];
const store = { put: async () => {}, get: async () => undefined };
const ring = async (id: string): Promise<Cipher> =>
  createCipher(await loadKeyring(async () => [{ id, secret: createSecretKey(randomBytes(32)), source: 'a test' }]));
let codec: (namespace: string) => ReturnType<typeof payloadCodec>;

beforeAll(async () => {
  const cipher = await ring('k1');
  codec = (namespace) => payloadCodec({ cipher, store, namespace, foreign: 'show' });
  upstream = createServer((asked, answer) => {
    seen.push(asked);
    if (asked.url === '/api/v1/settings') {
      answer.setHeader('content-type', 'application/json').end('{"Version":"2.50.1","Codec":{"Endpoint":""}}');
    } else if (asked.url === '/away') {
      const { port } = upstream.address() as AddressInfo;
      answer.writeHead(302, { location: `http://127.0.0.1:${port}/back?x=1` }).end();
    } else asked.pipe(answer.setHeader('x-path', asked.url ?? ''));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const target = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;
  ui = await serveWebUi({ target, codecOf: codec, namespace: 'n' });
  const opened = await fetch(ui.link());
  cookie = opened.headers.getSetCookie()[0] ?? '';
});
afterAll(async () => {
  await ui.close();
  upstream.close();
});

const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(`${ui.origin}${path}`, {
    redirect: 'manual',
    ...init,
    headers: { cookie: cookie.split(';')[0] ?? '', origin: ui.origin, ...init.headers },
  });
const toJson = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});
const decode = (payloads: object[], headers: Record<string, string> = {}) =>
  ask('/codec/decode', { method: 'POST', body: JSON.stringify({ payloads }), headers });

describe('the session', () => {
  test('is a strict cookie that scripts cannot read', () => {
    expect(cookie).toMatch(/^provisioning-ui-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  test('is had by a link once', async () => {
    const link = ui.link('/namespaces/n/workflows/w');
    const first = await fetch(link);
    expect(await first.text()).toContain('url=/namespaces/n/workflows/w"');
    expect((await fetch(link)).status).toBe(401);
    expect((await fetch(link.replace(/token=[^&]+/, 'token=guess'))).status).toBe(401);
  });

  test('leads nowhere else', async () => {
    for (const away of ['//evil.example', '/\\evil.example', 'https://evil.example']) {
      expect(await (await fetch(ui.link(away))).text()).toContain('content="0;url=/"');
    }
    expect(await (await fetch(ui.link('/"><script>'))).text()).not.toContain('<script>');
  });

  test.each(['/', '/api/v1/settings', '/api/v1/namespaces', '/codec/decode', '/_app/start.js'])(
    'nothing of %s without one',
    async (path) => {
      const before = seen.length;
      for (const headers of [{ cookie: '' }, { cookie: `provisioning-ui-${new URL(ui.origin).port}=guess` }]) {
        expect((await ask(path, { headers })).status).toBe(401);
        expect((await ask(path, { method: 'POST', headers })).status).toBe(401);
      }
      expect(seen.length).toBe(before);
    },
  );

  test('is not handed on to what stands behind', async () => {
    await ask('/somewhere', { headers: { cookie: `${cookie.split(';')[0]}; _csrf=theirs` } });
    expect(seen.at(-1)?.headers.cookie).toBe('_csrf=theirs');
  });
});

describe('other sites', () => {
  test('of a name that resolves to this machine get nothing', async () => {
    const { hostname, port } = new URL(ui.origin);
    const status = await new Promise((resolve, reject) => {
      const headers = { host: 'evil.example', cookie: cookie.split(';')[0] };
      request({ hostname, port, path: '/', headers }, (answer) => resolve(answer.resume().statusCode))
        .once('error', reject)
        .end();
    });
    expect(status).toBe(421);
  });

  test.each([{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: '' }])('cannot post (%o)', async (headers) => {
    const before = seen.length;
    expect((await decode([], headers)).status).toBe(403);
    expect((await ask('/api/v1/x', { method: 'POST', headers })).status).toBe(403);
    expect(seen.length).toBe(before);
  });
});

describe('the proxy', () => {
  test('puts our codec into the settings, and leaves the rest', async () => {
    expect(await (await ask('/api/v1/settings')).json()).toEqual({
      Version: '2.50.1',
      Codec: { Endpoint: `${ui.origin}/codec`, PassAccessToken: false, IncludeCredentials: true },
    });
  });

  test('hands large bodies through, both ways', async () => {
    const body = randomBytes(20 * 1024 * 1024);
    const answer = await ask('/upload?a=%2F', { method: 'POST', body });
    expect(answer.headers.get('x-path')).toBe('/upload?a=%2F');
    expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true);
  });

  test('keeps redirects on our origin', async () => {
    expect((await ask('/away')).headers.get('location')).toBe(`${ui.origin}/back?x=1`);
  });

  test('says so when nothing is behind', async () => {
    const alone = await serveWebUi({ target: 'http://127.0.0.1:1', codecOf: codec, namespace: 'n' });
    const opened = await fetch(alone.link());
    const answer = await fetch(`${alone.origin}/`, { headers: { cookie: opened.headers.getSetCookie()[0]?.split(';')[0] ?? '' } });
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('does not answer')]);
    await alone.close();
  });
});

describe('the codec', () => {
  const plain = defaultPayloadConverter.toPayload({ canary: 'text' }) as Payload;

  test('decodes what was encrypted for the namespace that is asked about', async () => {
    const [mine] = await codec('n').encode([plain]);
    const [theirs] = await codec('team').encode([plain]);
    const answer = async (payload: Payload | undefined, namespace?: string) =>
      (await decode([toJson(payload as Payload)], namespace ? { 'x-namespace': namespace } : {})).json();
    expect(await answer(mine)).toEqual({ payloads: [toJson(plain)] });
    expect(await answer(theirs, 'team')).toEqual({ payloads: [toJson(plain)] });
    expect(await answer(theirs)).toEqual({ message: expect.stringContaining('cannot decrypt the payload: key k1: ') });
  });

  test('one that cannot be read leaves the others readable', async () => {
    const stranger = payloadCodec({ cipher: await ring('theirs'), store, namespace: 'n' });
    const [unreadable] = await stranger.encode([plain]);
    const [mine] = await codec('n').encode([plain]);
    const answer = await decode([toJson(unreadable as Payload), toJson(mine as Payload)]);
    expect(await answer.json()).toEqual({ payloads: [toJson(unreadable as Payload), toJson(plain)] });
    const alone = await decode([toJson(unreadable as Payload)]);
    expect([alone.status, ((await alone.json()) as { message: string }).message]).toEqual([
      422,
      expect.stringContaining('key theirs'),
    ]);
  });

  test('encodes', async () => {
    const answer = await ask('/codec/encode', { method: 'POST', body: JSON.stringify({ payloads: [toJson(plain)] }) });
    const { payloads } = (await answer.json()) as { payloads: object[] };
    expect(await (await decode(payloads)).json()).toEqual({ payloads: [toJson(plain)] });
  });

  test('refuses what is not of its form', async () => {
    expect((await ask('/codec/decode', { method: 'POST', body: 'x' })).status).toBe(400);
  });
});

test('a port in use is one clear error', async () => {
  const port = Number(new URL(ui.origin).port);
  const error = await serveWebUi({ target: 'http://127.0.0.1:1', codecOf: codec, namespace: 'n', port }).catch((thrown) => thrown);
  expect(error.details).toMatchObject({ code: 'port-in-use', on: `127.0.0.1:${port}`, blame: 'user' });
});
