import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticate } from '../app/access/authenticate.js';
import { createDispatcher } from '../app/dispatch.js';
import type { Engine } from '../app/engine.js';
import type { AnyMethod } from '../app/method.js';
import { METHODS } from '../app/methods.generated.js';
import { recordCalls } from '../app/record-calls.js';
import { accessTokens } from '../stores/rows/service-accounts.js';
import { type AccessFixture, openFixture } from '../test/support/access-fixture.js';
import { fillSchema } from '../test/support/fill-schema.js';
import { createApi } from './create-api.js';
import { type ApiServer, serveApi } from './listen/serve-api.js';
import { placeMethods } from './routes/route.js';

/** Attacks on a server with all methods and real tokens. docs/contribute/attacks-of-the-api.md lists them with all others. */
let fixture: AccessFixture;
let server: ApiServer;
let token: string;
const reached: { method: string; actor: string }[] = [];
const logged: string[] = [];

/** The methods that read rows; the others note that they were reached. */
const REAL = /^(audit|serviceAccounts|tokens|tenants)\./;
const methods = Object.fromEntries(
  Object.values<AnyMethod>(METHODS).map((method) => {
    async function run({ principal }: { principal: { actor: string } }) {
      reached.push({ method: method.name, actor: principal.actor });
    }
    return [method.name, REAL.test(method.name) ? method : ({ ...method, kind: 'call', run } as unknown as AnyMethod)];
  }),
);

beforeAll(async () => {
  fixture = await openFixture();
  const owner = fixture.as();
  await owner.serviceAccounts.create({ account: 'boss' });
  await owner.serviceAccounts.bind({ account: 'boss', role: 'admin', workspace: '*' });
  token = (await owner.tokens.create({ account: 'boss' })).token;
  const { stores } = fixture;
  const engine = { stores } as unknown as Engine;
  const log = (line: string) => logged.push(line);
  const api = createApi({
    methods,
    dispatcherFor: (principal) => createDispatcher({ engine, principal, ...recordCalls(stores.rows) }, methods),
    principalOf: (bearer) => authenticate(stores, bearer),
    version: { version: '1', build: 'b' },
    ready: async () => {},
    log,
  });
  server = await serveApi(api, { address: { host: '127.0.0.1', port: 0 }, log, times: { stopping: 500 } });
});
afterAll(async () => {
  await server.close();
  await fixture.remove();
});

async function ask(verb: string, path: string, body?: unknown, bearer = token) {
  const response = await fetch(`${server.origin}${path}`, {
    method: verb,
    headers: { authorization: `Bearer ${bearer}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as { code?: string; items?: unknown[] } };
}

describe('a forged actor', () => {
  const NAMES = { workspace: 'default', infra: 'shop', operation: 'op', batch: 'op', account: 'ci', tenant: 'acme', name: 'key' };
  const changing = placeMethods(METHODS).filter(({ verb }) => verb === 'POST' || verb === 'PUT');

  test.each(changing.map((route) => [route.method.name, route] as const))('of %s is refused', async (name, route) => {
    const { verb, path, method } = route;
    const filled = fillSchema(method.input, { ...NAMES, server: 'web', as: 'new', id: 'new', token: 'x1' }) as Record<
      string,
      unknown
    >;
    const address = `/v1${path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(filled[key])))}`;
    const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key));
    const rest = Object.fromEntries(Object.entries(filled).filter(([key]) => !inPath.has(key)));
    const forgeries = [{ actor: 'root@host' }, { principal: { tenant: '', account: 'a1', name: 'admin' } }];
    const forged: object[] = forgeries.map((forgery) => ({ ...rest, ...forgery }));
    const { request } = rest;
    if (typeof request === 'object')
      forged.push(...forgeries.map((forgery) => ({ ...rest, request: { ...(request as object), ...forgery } })));
    for (const body of forged) expect(await ask(verb, address, body)).toMatchObject({ status: 400, body: { code: 'bad-request' } });
    expect(reached.filter((one) => one.method === name)).toEqual([]);
  });

  test('in a query is refused', async () => {
    expect(await ask('GET', '/v1/operations?actor=root')).toMatchObject({ status: 400 });
  });
});

describe('SQL in a filter', () => {
  test.each(["' or 1=1 --", "boss'; drop table tenants; --", '% or _', '\\', '"'])(
    '%s is a text that nothing has',
    async (text) => {
      const filter = encodeURIComponent(text);
      await ask('POST', '/v1/service-accounts/create', { account: 'one' });
      for (const path of [`/v1/audit?filter[actor]=${filter}`, `/v1/audit?filter[resource]=${filter}`])
        expect(await ask('GET', path)).toEqual({ status: 200, body: { items: [] } });
      expect(await ask('GET', `/v1/service-accounts?filter[name]=${filter}`)).toEqual({ status: 200, body: { items: [] } });
      expect((await ask('GET', '/v1/service-accounts')).body.items).not.toEqual([]);
    },
  );
});

describe('a parameter', () => {
  test.each(['..%2F..%2Fetc', '%00', 'a%00b', '%2e%2e', 'a%0d%0ab', '__proto__', '%F0%9F%98%80'])(
    '%s is the name of nothing',
    async (name) => {
      for (const path of [`/v1/workspaces/${name}/infras`, `/v1/tenants/${name}`, `/v1/operations/${name.slice(0, 3)}%2F${name}`]) {
        const { status } = await ask('GET', path);
        expect([path, [400, 404].includes(status)]).toEqual([path, true]);
      }
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    },
  );
});

describe('a token', () => {
  test('that was revoked, has expired, or is of another form is answered alike', async () => {
    const owner = fixture.as();
    const answers: string[] = [];
    const revoked = await owner.tokens.create({ account: 'boss' });
    await owner.tokens.revoke({ token: revoked.id });
    const expired = await owner.tokens.create({ account: 'boss' });
    const table = (await fixture.stores.rows()).table(accessTokens);
    const found = await table.get({ id: expired.id });
    if (found) await table.put({ ...found.row, expiresAt: '2020-01-01T00:00:00.000Z' });
    for (const bearer of [revoked.token, expired.token, `${token}x`, token.slice(0, -1), 'prov_x_y', 'x'.repeat(4_000)]) {
      const response = await fetch(`${server.origin}/v1/audit`, {
        headers: { authorization: `Bearer ${bearer}`, 'x-request-id': 'same' },
      });
      answers.push(`${response.status} ${await response.text()}`);
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^401 .*"bad-token"/);
  });
});

test('what a caller writes begins no line of the log, and no header of an answer', async () => {
  const { port } = new URL(server.origin);
  const evil = '%0d%0aX-Evil: 1%0d%0a{"level":"admin"}';
  const lines = [`GET /v1/tenants/${evil.replaceAll(' ', '%20')} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`];
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`${[...lines, 'X-Request-Id: a\u000bb', 'Connection: close'].join('\r\n')}\r\n\r\n`),
    );
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(answer.split('\r\n\r\n')[0]).not.toMatch(/x-evil/i);
  for (const line of logged) expect(() => JSON.parse(line)).not.toThrow();
});
