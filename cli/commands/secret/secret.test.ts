import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unreachableError } from '../../../core/errors.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import { openSecrets } from '../../../stores/open-secrets.js';
import { runLine } from '../../fake-run.js';
import { type FakeOptions, fakeClient, inventoryNamed, resultOf } from '../../fake-session.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterAll(() => rm(root, { recursive: true }));

const run = (line: string, options: FakeOptions = {}) => runLine(line, { root, ...options });

describe('secrets', () => {
  test('are read from standard input and never shown', async () => {
    const set = await run('secret set api/token', { stdin: 'hunter2\n' });
    expect([set.code, set.out, set.err]).toEqual([0, 'set: api/token (workspace default)\n', '']);
    const store = (await openSecrets(set.session.home, {})).secrets;
    expect(await store.within({ workspace: 'default' }).get('api/token')).toBe('hunter2');
    expect(await store.get('api/token')).toBeUndefined();
    expect((await run('secret list')).out).toBe('api/token  workspace\n');
    expect((await run('secret delete api/token --json --yes')).out).not.toContain('hunter2');
    expect((await run('secret list --json')).out).toBe('{\n  "secrets": [],\n  "kept": []\n}\n');
    expect((await run('secret set empty', { stdin: '' })).code).toBe(2);
  });

  test('that an infra uses are deleted only on a yes', async () => {
    const service = { taskserv: 'redis', version: '7', config: { password: { $secret: 'pw' } }, since: 'op' };
    const server = { name: 'web-1', provider: 'hetzner/prod', services: { redis: service } } as unknown as InventoryServer;
    const inventory = { ...inventoryNamed('demo'), servers: { 'web-1': server } };
    const { client } = fakeClient(() => [], inventory);
    const used = (line: string, options: FakeOptions = {}) => run(line, { client, ...options });
    for (const name of ['pw', 'unused', 'hetzner/prod/token', 'hetzner/token'])
      expect((await run(`secret set ${name}`, { stdin: 'x' })).code).toBe(0);
    const refused = await used('secret delete pw');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('delete the secret pw, which is in use')]);
    const asked = await used('secret delete pw', { interactive: true, answers: [false] });
    expect([asked.code, asked.session.asked]).toEqual([
      5,
      ['demo uses it: redis on web-1.\nDelete pw (workspace default) anyway?'],
    ]);
    expect((await used('secret delete hetzner/prod/token')).code).toBe(2);
    expect((await used('secret delete hetzner/token')).code).toBe(0);
    expect((await used('secret delete unused')).code).toBe(0);
    expect((await used('secret delete pw', { interactive: true, answers: [true] })).code).toBe(0);
    const alone = unreachableError({ code: 'engine-not-running', what: 'find the engine', why: 'none runs' });
    const silent = { 'secrets.usage': async () => Promise.reject(alone) };
    const unknown = await run('secret delete hetzner/prod/token', { client: silent });
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('which may be in use')]);
    const asks = await run('secret delete hetzner/prod/token', { client: silent, interactive: true, answers: [false] });
    expect(asks.session.asked[0]).toContain('Cannot tell whether an infra uses it: none runs.');
    expect((await used('secret delete hetzner/prod/token --yes')).code).toBe(0);
  });

  test('of an infra that is deleted stay, which is said, and go with --secrets', async () => {
    const { client } = fakeClient((request) => [{ type: 'end', result: resultOf(request) }], inventoryNamed('demo'));
    for (const line of ['secret set a --infra demo', 'secret set b --infra demo', 'secret set c'])
      expect((await run(line, { stdin: 'x' })).code).toBe(0);
    const names = async () =>
      JSON.parse((await run('secret list --json')).out).secrets.filter((name: string) => /^[abc]$/.test(name));
    const left = await run('delete demo --yes', { client });
    expect([left.code, left.out]).toEqual([
      0,
      expect.stringContaining('note: left in place: 2 secrets of demo; to delete: provisioning delete demo --secrets\n'),
    ]);
    expect((await run('delete demo --yes --json', { client })).err).toContain('2 secrets of demo');
    expect((await run('delete demo --check', { client })).out).not.toContain('secret');
    expect(await names()).toEqual(['a', 'b', 'c']);
    // It is gone already.
    const none = { ...client, 'infras.inventory': async () => undefined, 'infras.list': async () => [] };
    expect((await run('delete demo --secrets', { client: none })).code).toBe(2);
    expect((await run('delete demo --secrets --check', { client: none })).out).toBe('a\nb\n');
    expect(await names()).toEqual(['a', 'b', 'c']);
    expect((await run('delete demo --secrets --yes', { client: none })).out).toBe('deleted: 2 secrets of demo\n');
    expect(await names()).toEqual(['c']);
    expect((await run('secret set a --infra demo', { stdin: 'x' })).code).toBe(0);
    expect((await run('delete demo --secrets --yes', { client })).out).toContain('deleted: 1 secret of demo\n');
    expect(await names()).toEqual(['c']);
    expect((await run('secret delete c --yes')).code).toBe(0);
  });

  test('that are hidden by narrower ones are used by nobody', async () => {
    const service = { taskserv: 'redis', version: '7', config: { password: { $secret: 'pw' } }, since: 'op' };
    const server = { name: 'web-1', provider: 'demo', services: { redis: service } } as unknown as InventoryServer;
    const { client } = fakeClient(() => [], { ...inventoryNamed('demo'), servers: { 'web-1': server } });
    for (const more of ['', ' --shared', ' --infra demo']) await run(`secret set pw${more}`, { stdin: 'x' });
    expect((await run('secret delete pw --infra demo', { client })).code).toBe(2);
    expect((await run('secret delete pw --shared', { client })).code).toBe(0);
    expect((await run('secret delete pw', { client })).code).toBe(0);
    expect((await run('secret delete pw --infra demo --yes', { client })).code).toBe(0);
  });

  test('are for the workspace, for one infra, or shared on purpose', async () => {
    const other = { workspace: 'other' };
    const set = async (line: string, options: FakeOptions = {}) =>
      (await run(`secret set ${line}`, { stdin: 'x', ...options })).out;
    expect(await set('pw')).toBe('set: pw (workspace default)\n');
    expect(await set('pw --infra shop')).toBe('set: pw (infra shop)\n');
    expect(await set('pw', other)).toBe('set: pw (workspace other)\n');
    expect(await set('pw --shared')).toBe('set: pw (shared)\n');
    expect(await set('hetzner/prod/token')).toBe('set: hetzner/prod/token (account)\n');
    expect((await run('secret list')).out).toBe(
      [
        'hetzner/prod/token  account',
        'pw                  workspace',
        'pw                  infra shop',
        'pw                  shared',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await run('secret list --json', other)).out)).toEqual({
      secrets: ['hetzner/prod/token', 'pw'],
      kept: [
        { name: 'hetzner/prod/token', scope: 'account' },
        { name: 'pw', scope: 'workspace' },
        { name: 'pw', scope: 'shared' },
      ],
    });
    expect((await run('secret delete pw --yes')).out).toBe('deleted: pw (workspace default)\n');
    const gone = await run('secret delete pw --yes');
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('secret delete pw --infra shop')]);
    expect((await run('secret delete pw --infra shop --yes')).code).toBe(0);
    expect((await run('secret delete pw --shared --yes')).code).toBe(0);
    expect((await run('secret delete pw --yes', other)).code).toBe(0);
    expect((await run('secret delete hetzner/prod/token --yes')).code).toBe(0);
    expect((await run('secret set pw --infra shop --shared', { stdin: 'x' })).code).toBe(2);
    expect((await run('secret set pw --infra ../x', { stdin: 'x' })).code).toBe(2);
    expect((await run('secret list')).out).toBe('no secrets\n');
  });
});
