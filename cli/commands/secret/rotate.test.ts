import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MethodCalls } from '../../../app/method-calls.generated.js';
import type { Inventory, InventoryServer } from '../../../core/infra/inventory.js';
import type { BatchMark, BatchRow } from '../../../core/operation/batch.js';
import type { OperationStatus } from '../../../core/operation/operation.js';
import { openSecrets } from '../../../stores/open-secrets.js';
import type { SecretStore } from '../../../stores/secrets.js';
import { runLine } from '../../fake-run.js';
import { type FakeOptions, type Fakes, fakeSession, inventoryNamed, progressOf, resultOf } from '../../fake-session.js';
import { command } from './rotate.js';

type Applied = Parameters<MethodCalls['secrets']['apply']>[0];

let root: string;
let store: SecretStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rotate-'));
  store = (await openSecrets(fakeSession({ root }).home, {})).secrets;
});
afterEach(() => rm(root, { recursive: true }));

const run = (line: string, options: FakeOptions = {}) => runLine(line, { root, ...options });
const own = () => store.within({ workspace: 'default' });

describe('a rotation', () => {
  const service = (taskserv: string, secret: string) => ({
    taskserv,
    version: '7',
    config: { password: { $secret: secret } },
    since: 'op',
  });
  const server = (name: string, ...taskservs: string[]) =>
    ({
      name,
      provider: 'demo',
      services: Object.fromEntries(taskservs.map((one) => [one, service(one, 'pw')])),
    }) as unknown as InventoryServer;
  const infras: Record<string, Inventory> = {
    blog: { ...inventoryNamed('blog'), servers: { a: server('a', 'redis') } },
    shop: { ...inventoryNamed('shop'), servers: { a: server('a', 'postgres', 'redis'), b: server('b', 'redis'), c: server('c') } },
    zoo: { ...inventoryNamed('zoo'), servers: { a: server('a', 'redis') } },
  };
  const clientOf = (statusOf: (infra: string) => OperationStatus = () => 'done') => {
    const applied: { input: Applied; value?: string }[] = [];
    const marks: BatchMark[] = [];
    const nameOf = (id: string) => applied[0]?.input.infras?.[Number(id.split('-').at(-1)) - 1] ?? '';
    const client: Fakes = {
      'infras.list': async () => ['zoo', 'shop', 'blog'],
      'infras.inventory': async ({ infra }) => infras[infra],
      async 'secrets.apply'(input) {
        applied.push({ input, value: await own().get('pw') });
        for (const infra of input.infras ?? []) {
          const before = marks.at(-1);
          const isOpen = before === undefined || before === 'done';
          marks.push(isOpen ? (statusOf(infra) === 'done' ? 'done' : 'failed') : 'skipped');
        }
        return { batch: input.as, infras: [...(input.infras ?? [])] };
      },
      async 'batches.rows'({ batch, from = 0, limit = 1 }) {
        const all = (applied[0]?.input.infras ?? []).map((infra, index): BatchRow => {
          const mark = marks[index] as BatchMark;
          const id = mark === 'skipped' ? {} : { operation: `${batch}-${index + 1}` };
          return { ...{ index, name: infra, kind: 'taskserv', verb: 'ensure', infra, stage: index, mark }, ...id };
        });
        return all.slice(from, from + limit);
      },
      async *'operations.follow'({ operation }) {
        const infra = nameOf(operation);
        const status = statusOf(infra);
        const shown = { id: operation, kind: 'taskserv' } as const;
        if (status === 'waiting') yield { type: 'waiting', progress: { ...progressOf(), operation, infra, status } };
        else yield { type: 'end', result: resultOf(shown, { infra, status }) };
      },
    };
    return { client, applied, marks };
  };

  test('is brought by a batch to all infras that use it, in order and as the options say, after the new value is kept', async () => {
    await run('secret set pw', { stdin: 'one' });
    const { client, applied, marks } = clientOf();
    const done = await run('secret rotate pw --yes --json --strategy all-at-once', { client, stdin: 'two' });
    expect([done.code, done.err]).toEqual([0, '']);
    const infras = ['blog', 'shop', 'zoo'];
    const manner = { update: { strategy: 'all-at-once' }, settings: expect.any(Object) };
    const manners = Object.fromEntries(infras.map((infra) => [infra, manner]));
    const input = { workspace: 'default', name: 'pw', as: expect.stringMatching(/^batch-secret-/), infras, manners };
    expect(applied).toEqual([{ input, value: 'two' }]);
    expect(marks).toEqual(['done', 'done', 'done']);
    expect(JSON.parse(done.out)).toMatchObject({
      secret: 'pw',
      version: 2,
      batch: applied[0]?.input.as,
      left: [],
      infras: [{ infra: 'blog', status: 'done', code: 0 }, {}, {}],
    });
    expect(done.out).not.toContain('two');
  });

  test('that fails stops there: the version stays, and what does not have it is named with the way on', async () => {
    await run('secret set pw', { stdin: 'one' });
    const { client, marks } = clientOf((infra) => (infra === 'shop' ? 'rolled-back' : 'done'));
    const done = await run('secret rotate pw --generate token --length 20 --yes', { client });
    expect([done.code, marks]).toEqual([1, ['done', 'failed', 'skipped']]);
    expect(await own().get('pw')).toMatch(/^[0-9a-f]{20}$/);
    expect(done.err).toContain(
      'Version 2 of pw stays. These do not have it, or not all of them; go on with\n  provisioning taskserv update postgres redis --infra shop --server a,b\n  provisioning taskserv update redis --infra zoo --server a\n',
    );
    // A generated secret is generated again.
    const next = await run('secret rotate pw --yes --json', { client: clientOf().client });
    expect([next.code, await own().get('pw')]).toEqual([0, expect.stringMatching(/^[0-9a-f]{20}$/)]);
  });

  test('that waits for a person goes on by its batch, which is named', async () => {
    await run('secret set pw', { stdin: 'one' });
    const { client, applied } = clientOf((infra) => (infra === 'blog' ? 'waiting' : 'done'));
    const done = await run('secret rotate pw --generate token --yes', { client });
    expect([done.code, done.err]).toEqual([4, `The batch goes on. Follow it: provisioning batch follow ${applied[0]?.input.as}\n`]);
  });

  test('goes on after Ctrl-C, while its first infra waits and while it is at work', async () => {
    for (const begun of [false, true]) {
      await run('secret set pw', { stdin: 'one' });
      const { client } = clientOf();
      const session = fakeSession({
        root,
        json: true,
        client: {
          ...client,
          async 'batches.rows'(input) {
            const [row] = (await client['batches.rows']?.(input)) ?? [];
            if (!begun) session.interrupt();
            const { operation, ...waiting } = row as BatchRow;
            return [begun ? { ...waiting, mark: 'running', operation } : { ...waiting, mark: 'asking' }] as BatchRow[];
          },
          async *'operations.follow'(_, { signal } = {}) {
            await new Promise((resolve) => {
              signal?.addEventListener('abort', resolve);
              session.interrupt();
            });
            yield* [];
          },
        },
      });
      const flags = { yes: true, generate: 'token' } as const;
      expect(await command.run(session, { args: ['pw'], flags } as never)).toBe(130);
      const { batch, infras, left } = JSON.parse(session.said());
      expect([infras, left]).toEqual([
        [{ infra: 'blog', code: 130, status: begun ? 'running' : 'queued', ...(begun && { operation: `${batch}-1` }) }],
        ['blog', 'shop', 'zoo'],
      ]);
      expect(session.complained()).toContain(`provisioning batch follow ${batch}\n`);
    }
  });

  test('asks first, and a no or a look changes nothing', async () => {
    await run('secret set pw', { stdin: 'one' });
    const { client, applied } = clientOf();
    const lines = 'blog: redis on a\nshop: postgres on a, redis on a, redis on b\nzoo: redis on a\n';
    expect((await run('secret rotate pw --check', { client })).out).toBe(`${lines}Nothing was changed.\n`);
    const asked = await run('secret rotate pw --generate password', { client, interactive: true, answers: [false] });
    expect([asked.code, asked.session.asked]).toEqual([5, [`${lines}Make a new value of pw (workspace default)?`]]);
    expect((await run('secret rotate pw', { client, stdin: 'two' })).code).toBe(2);
    expect([await own().get('pw'), applied]).toEqual(['one', []]);
  });

  test.each([
    ['pw --yes', { PROVISIONING_SECRET_PW: 'x' }, 'an environment variable sets its value'],
    ['hetzner/prod/token --yes', {}, 'it is a credential of an account'],
    ['pw --length 20 --yes', {}, 'use it only with --generate'],
    ['pw --generate password --length 3 --yes', {}, 'fewer than 16 characters can be guessed'],
  ])('secret rotate %s is refused: %s', async (line, env, why) => {
    for (const one of ['pw', 'hetzner/prod/token']) await run(`secret set ${one}`, { stdin: 'one' });
    const { code, err } = await run(`secret rotate ${line}`, { env, client: clientOf().client, stdin: 'two' });
    expect([code, err, await own().get('pw')]).toEqual([2, expect.stringContaining(why), 'one']);
  });
});
