import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDispatcher } from '../app/dispatch.js';
import type { Engine } from '../app/engine.js';
import { METHODS } from '../app/methods.generated.js';
import { createOwner } from '../app/principal.js';
import { ensureKey } from '../encryption/keys.js';
import { homeOf } from '../home/home.js';
import { openStores } from '../stores/open-stores.js';
import { resourceLocks } from '../stores/rows/locks/resource-locks.js';
import type { Stores } from '../stores/stores.js';
import { type Api, createApi } from './create-api.js';

let folder: string;
/** Two instances, each with its own connection to the same database. */
let instances: { api: Api; stores: Stores }[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conditional-'));
  const home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
  await ensureKey({ folder: home.encryption, env: { HOME: home.root }, setUp: async () => 'cafe' });
  const principal = createOwner('ann@desk');
  instances = [];
  for (const _ of [1, 2]) {
    const stores = await openStores(home, { HOME: home.root });
    const engine = { stores } as unknown as Engine;
    const api = createApi({
      methods: METHODS,
      dispatcherFor: () => createDispatcher({ engine, principal, checksAnswers: true }),
      principalOf: async () => principal,
      version: { version: '1', build: 'test' },
      ready: async () => {},
    });
    instances.push({ api, stores });
  }
  expect((await change.secret()).status).toBe(200);
  expect((await ask('POST', '/v1/service-accounts/create', { body: { account: 'ci' } })).status).toBe(200);
});
afterAll(async () => {
  for (const { stores } of instances) await stores.close();
  rmSync(folder, { recursive: true });
});

async function ask(
  verb: string,
  path: string,
  { body, match, at = 0 }: { body?: unknown; match?: string | undefined; at?: number } = {},
) {
  const headers = {
    ...{ authorization: 'Bearer test', host: 'localhost' },
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(match !== undefined && { 'if-match': match }),
  };
  const init = { method: verb, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await (instances[at % 2] as (typeof instances)[number]).api.fetch(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  return { status: response.status, tag: response.headers.get('etag') ?? '', body: text === '' ? undefined : JSON.parse(text) };
}

/** Resources: how each is read, changed, and removed. */
const SECRET = '/v1/workspaces/default/secrets/token';
const ACCOUNT = '/v1/service-accounts/ci/roles';

const change = {
  secret: (match?: string, at = 0) => ask('PUT', SECRET, { body: { value: `of editor ${at}` }, match, at }),
  account: (match?: string, at = 0) =>
    ask('POST', '/v1/service-accounts/bind', { body: { account: 'ci', role: 'viewer', workspace: `w-${at}` }, match, at }),
};
const read = { secret: SECRET, account: ACCOUNT };

describe.each(['secret', 'account'] as const)('a change of the %s with If-Match', (kind) => {
  test('is made by exactly one of 20 editors who have read the same version, on two instances', async () => {
    const { tag } = await ask('GET', read[kind]);
    expect(tag).toMatch(/^"[\w-]{43}\.[\w-]{22}"$/);
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => change[kind](tag, at + 1)));
    const statuses = outcomes.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(19).fill(412)]);
    expect(outcomes.find(({ status }) => status === 412)?.body).toMatchObject({ code: 'precondition-failed', status: 412 });
    const after = await ask('GET', read[kind]);
    expect(after.tag).not.toBe(tag);
    expect((await change[kind](after.tag, 21)).status).toBe(200);
    expect((await change[kind](after.tag, 22)).status).toBe(412);
  });

  test('is made for any version by *, and for none by a weak or a foreign tag', async () => {
    expect((await change[kind]('*', 30)).status).toBe(200);
    const { tag } = await ask('GET', read[kind]);
    expect((await change[kind](`W/${tag}`, 31)).status).toBe(412);
    expect((await change[kind]('"abc", "abc.def"', 32)).status).toBe(412);
    expect((await change[kind](`"abc.def", ${tag}`, 33)).status).toBe(200);
    expect((await change[kind]('without quotes', 34)).status).toBe(400);
  });
});

test('a quota is checked by its revision, and deleted only in the version that was read', async () => {
  const set = (operations: number, match?: string) =>
    ask('POST', '/v1/workspaces/default/quotas/set', { body: { operations }, match });
  expect((await set(1, '*')).body).toMatchObject({ code: 'precondition-failed' });
  expect((await set(1)).status).toBe(200);
  expect((await set(2, '*')).status).toBe(200);
  expect((await ask('POST', '/v1/workspaces/default/quotas/remove', { body: {}, match: '"x.y"' })).status).toBe(412);
  expect((await ask('POST', '/v1/workspaces/default/quotas/remove', { body: {}, match: '*' })).status).toBe(204);
});

test('a missing resource matches nothing, and no change leaves a lock behind', async () => {
  expect((await ask('DELETE', '/v1/workspaces/default/secrets/none', { match: '*' })).status).toBe(412);
  expect((await ask('DELETE', SECRET, { match: '*' })).status).toBe(200);
  expect((await ask('PUT', SECRET, { body: { value: 'new' }, match: '*' })).status).toBe(412);
  for (const { stores } of instances) expect((await (await stores.rows()).table(resourceLocks).list()).rows).toEqual([]);
});

test('a method that cannot check a condition refuses it', async () => {
  const refused = await ask('POST', '/v1/service-accounts/create', { body: { account: 'other' }, match: '"a.b"' });
  expect([refused.status, refused.body.code]).toEqual([400, 'bad-request']);
  expect((await ask('GET', '/v1/service-accounts/other/roles')).status).toBe(404);
});
