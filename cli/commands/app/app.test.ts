import { expect, test } from 'vitest';
import { inputError } from '../../../core/errors.js';
import { runLine } from '../../fake-run.js';
import type { Fakes } from '../../fake-session.js';

const listed = { name: 'shop', processes: ['web'], servers: ['web-1'] };
const list = (...infras: string[]): Fakes => ({
  'applications.list': async () => infras.map((infra) => ({ infra, ...listed })) as never,
});

/** Returns logs with these events, and the recorded queries. */
function logs(...events: object[]) {
  const asked: unknown[] = [];
  const client: Fakes = {
    ...list('prod'),
    'applications.logs': (input) => {
      asked.push(input);
      return (async function* () {
        yield* events as never[];
      })();
    },
  };
  return { asked, client };
}

test('releases of the one infra that has the application, as a table and as JSON', async () => {
  const rows = [{ server: 'web-1', release: '2.0', there: '2026-01-02T00:00:00Z', since: '2026-01-03T00:00:00Z' }];
  const asked: unknown[] = [];
  const client: Fakes = {
    ...list('prod'),
    'applications.releases': async (input) => {
      asked.push(input);
      return rows;
    },
  };
  const { out } = await runLine('app releases shop', { client });
  expect(out).toMatch(/web-1 +2\.0 +2026-01-02T00:00:00Z +2026-01-03T00:00:00Z/);
  const { out: json } = await runLine('app releases shop --infra other --json', { client });
  expect(JSON.parse(json)).toMatchObject({ app: 'shop', infra: 'other', releases: rows });
  const place = { workspace: 'default', application: 'shop' };
  expect(asked).toEqual([
    { ...place, infra: 'prod' },
    { ...place, infra: 'other' },
  ]);
});

test.each([
  [[], 'no application of this name is deployed'],
  [['prod', 'stage'], 'several infras have an application of this name'],
])('an application of the infras %j is refused', async (infras, why) => {
  const { code, err } = await runLine('app releases shop', { client: list(...infras) });
  expect([code, err]).toEqual([2, expect.stringContaining(why)]);
});

test('an application is found by its whole name', async () => {
  const client = { 'applications.list': async () => [{ infra: 'prod', ...listed, name: 'shop-admin' }] as never } satisfies Fakes;
  expect((await runLine('app logs shop', { client })).code).toBe(2);
});

test('logs have their options, and are one document as JSON', async () => {
  const { asked, client } = logs({ server: 'web-1', line: 'a' }, { server: 'web-2', line: 'b' });
  const { out, code } = await runLine('app logs shop --server web-1,web-2 --process web --since 1h --lines 5', { client });
  expect([out, code]).toEqual(['web-1 a\nweb-2 b\n', 0]);
  expect(asked).toEqual([
    {
      ...{ workspace: 'default', infra: 'prod', application: 'shop', servers: ['web-1', 'web-2'] },
      ...{ process: 'web', since: '1h', lines: 5 },
    },
  ]);
  const { out: json } = await runLine('app logs shop --json', { client });
  expect(JSON.parse(json)).toMatchObject({
    ...{ app: 'shop', infra: 'prod' },
    lines: [
      { server: 'web-1', line: 'a' },
      { server: 'web-2', line: 'b' },
    ],
  });
});

test('followed logs name a server whose lines end, and the command fails', async () => {
  const { asked, client } = logs({ server: 'web-1', line: 'a' }, { server: 'web-2', problem: 'the connection closed' });
  const { out, err, code } = await runLine('app logs shop --follow', { client });
  expect([out, err, code]).toEqual(['web-1 a\n', 'web-2 the connection closed\n', 1]);
  expect(asked).toMatchObject([{ follow: true }]);
});

test('a signal ends logs that are followed, with code 0', async () => {
  let left = false;
  const client: Fakes = {
    ...list('prod'),
    'applications.logs': async function* (_, { signal } = {}) {
      yield { server: 'web-1', line: 'a' };
      setImmediate(() => process.emit('SIGTERM'));
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      left = true;
    },
  };
  expect([(await runLine('app logs shop --follow', { client })).code, left]).toEqual([0, true]);
});

test('a rollback previews the request of the method', async () => {
  const asked: unknown[] = [];
  const definition = { infra: 'prod', servers: [] };
  const client: Fakes = {
    ...list('prod'),
    'applications.rollback': async (input) => {
      asked.push(input);
      return {
        request: { kind: 'cluster', infra: 'prod', intent: { verb: 'ensure', prune: true }, definition },
        ...{ release: '1.0', missing: ['web-2'] },
      } as never;
    },
    'plans.preview': async ({ request }) => {
      asked.push(request);
      throw inputError({ code: 'bad-request', what: 'stop the test', why: 'it has seen enough' });
    },
  };
  const { out } = await runLine('app rollback shop --to 1 --check', { client });
  expect(out).toBe(
    'web-2 never had it: it is brought there\nto the release 1.0; the next apply of the definition deploys what that says\n',
  );
  expect(asked).toMatchObject([
    { workspace: 'default', infra: 'prod', application: 'shop', to: '1' },
    { kind: 'cluster', infra: 'prod', intent: { verb: 'ensure', prune: true }, definition },
  ]);
});
