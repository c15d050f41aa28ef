import { beforeEach, describe, expect, test } from 'vitest';
import { createDispatcher } from '../app/dispatch.js';
import type { Engine } from '../app/engine.js';
import type { Principal } from '../app/principal.js';
import { createTestApi, createTestMethods, problemIn } from './test-api.js';

let { ask, json, heard } = createTestApi();
beforeEach(() => {
  ({ ask, json, heard } = createTestApi());
});

describe('a call', () => {
  test('that changes something passes its key on, bare or quoted; one that reads does not', async () => {
    const keys: (string | undefined)[] = [];
    const repeat = async ({ key }: { key?: string | undefined }) => void keys.push(key);
    const methods = createTestMethods(heard);
    const dispatcherFor = (principal: Principal) => createDispatcher({ engine: {} as Engine, principal, repeat }, methods);
    const keyed = createTestApi({ methods, dispatcherFor });
    const change = (key: string) => keyed.ask('POST', '/v1/things/web-1/change', json({}, { 'idempotency-key': key }));
    for (const key of ['8e03978e', '"8e03978e"', 'x'.repeat(255)]) expect((await change(key)).status).toBe(204);
    await keyed.ask('GET', '/v1/things', { headers: { 'idempotency-key': 'a' } });
    expect(keys).toEqual(['8e03978e', '8e03978e', 'x'.repeat(255), undefined]);
    for (const key of ['a b', '""', '"a', 'a\u00e9', 'x'.repeat(256)])
      expect([key, await problemIn(await change(key))]).toEqual([key, '400 bad-request']);
  });

  test('that reads has a tag, by which a caller gets no answer that it has; one that changes something has none', async () => {
    const first = await ask('GET', '/v1/things/web-1');
    const tag = first.headers.get('etag') as string;
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    for (const header of [tag, `"other", W/${tag}`, '*']) {
      const again = await ask('GET', '/v1/things/web-1', { headers: { 'if-none-match': header } });
      expect([header, again.status, await again.text(), again.headers.get('etag')]).toEqual([header, 304, '', tag]);
    }
    const other = await ask('GET', '/v1/things/web-2', { headers: { 'if-none-match': tag } });
    expect([other.status, other.headers.get('etag') === tag]).toEqual([200, false]);
    expect((await ask('POST', '/v1/things/web-1/change')).headers.get('etag')).toBeNull();
  });

  test('with a condition that no method keeps is refused, and does nothing', async () => {
    const refused = await ask('POST', '/v1/things/web-1/change', json({}, { 'if-match': '"a"' }));
    expect([await problemIn(refused), heard.calls]).toEqual(['400 bad-request', []]);
  });
});
