import { describe, expect, test } from 'vitest';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { DriftReport } from '../../core/operation/drift.js';
import type { HostStatus } from '../../core/operation/host-status.js';
import { inventoryOf } from '../../test/support/inventory.js';
import { runLine } from '../fake-run.js';

const service = (taskserv: string) => ({ taskserv, version: '7', config: {}, healthy: true, since: 'op' });
const server = (name: string, more: Partial<InventoryServer> = {}): InventoryServer =>
  ({
    ...{ name, provider: 'demo', id: name, since: 'op', services: { nginx: service('nginx') } },
    connection: { kind: 'ssh', address: name, port: 22, user: 'root' },
    spec: { name, role: 'web', plan: { name: 'small' }, image: 'debian-12' },
    ...more,
  }) as unknown as InventoryServer;

const EMPTY: DriftReport = { infra: 'shop', asRecorded: 0, differs: [], gone: [], unknown: [], unasked: [] };
const asked: unknown[] = [];
const run = (line: string, hosts: HostStatus[], report: Partial<DriftReport> = {}) =>
  runLine(line, {
    client: {
      'infras.list': async () => ['shop'],
      'infras.inventory': async () => inventoryOf(server('a'), server('b')),
      'infras.locks': async () => ({ holders: [], waiters: [] }),
      'infras.recorded': async () => ({ at: '2026-11-23T10:00:00.000Z' }),
      'infras.status': async (what) => {
        asked.push(what);
        return { ...EMPTY, hosts, ...report };
      },
    },
  });
const well = (name: string): HostStatus => ({
  server: name,
  services: [{ taskserv: 'nginx', state: 'healthy', installed: '7.1' }],
});
const nginx = (state: 'differs' | 'unhealthy' | 'missing', more: object = {}): HostStatus => ({
  server: 'b',
  services: [{ taskserv: 'nginx', state, ...more }],
});

describe('status', () => {
  test('says how each service is now, and ends by it', async () => {
    const fine = await run('taskserv status', [well('a'), well('b')]);
    expect([fine.code, fine.out]).toEqual([0, expect.stringMatching(/shop +b +nginx +7 +7\.1 +healthy\n/)]);
    const broken = await run('taskserv status', [well('a'), nginx('unhealthy', { why: 'nothing\nlistens' })]);
    expect([broken.code, broken.out]).toEqual([1, expect.stringMatching(/b +nginx +7 +unhealthy +nothing listens\n/)]);
    const changed = await run('cluster status', [well('a'), nginx('differs', { steps: ['Write x', 'Restart nginx'] })]);
    expect([changed.code, changed.out]).toEqual([0, expect.stringContaining('apply has 2 steps to do: Write x; Restart nginx')]);
  });

  test('a host that does not answer is not taken for what it was', async () => {
    const { code, out } = await run('server status', [well('a'), { server: 'b', why: 'no answer within 5 s' }]);
    expect(code).toBe(3);
    expect(out).toMatch(/shop +b +unknown .*no answer within 5 s\n/);
    expect(out).toMatch(/shop +b +nginx +7 +unknown +no answer within 5 s\n/);
  });

  test('a machine that is gone, off, or meant to be off', async () => {
    const lost = { kind: 'server', name: 'b', provider: 'demo', apply: 'create' } as const;
    const late = { server: 'b', why: 'no answer within 5 s' };
    const gone = await run('server status', [well('a')], { gone: [lost], hosts: [well('a'), late] });
    expect([gone.code, gone.out]).toEqual([1, expect.stringMatching(/b +gone .*demo no longer has it\n/)]);
    const off = { ...lost, apply: 'start' as const, changes: ['it does not run'] };
    expect((await run('server status', [well('a'), late], { differs: [off] })).out).toMatch(/b +off .*the server is not running\n/);
    const stopped = await run('server status', [well('a'), { server: 'b', stopped: 'op' }]);
    expect([stopped.code, stopped.out]).toEqual([0, expect.stringMatching(/b +nginx +7 +stopped\n/)]);
  });

  test('of one server asks and ends by that one', async () => {
    const other = { kind: 'server', name: 'b', provider: 'demo', apply: 'create' } as const;
    const { code } = await run('server status a --timeout 30', [well('a')], { gone: [other] });
    expect(code).toBe(0);
    expect(asked.at(-1)).toMatchObject({ hosts: { servers: ['a'], withinMs: 30_000 }, clouds: { withinMs: 30_000 } });
    await run('taskserv status nginx --server b', [well('b')]);
    expect(asked.at(-1)).toMatchObject({ hosts: { servers: ['b'], taskservs: ['nginx'], withinMs: 5_000 }, clouds: false });
  });

  test('as recorded says since when', async () => {
    const before = asked.length;
    const { code, out } = await run('taskserv status --recorded', []);
    expect([code, asked.length]).toEqual([0, before]);
    expect(out).toMatch(/^shop: as of 2026-11-23T10:00:00\.000Z, not as it is now\n/);
    const document = JSON.parse((await run('cluster status --recorded --json', [])).out);
    expect(document).toMatchObject({
      recorded: [{ infra: 'shop', at: '2026-11-23T10:00:00.000Z' }],
      services: [{ healthy: true }, {}],
    });
  });

  test('a name that is nowhere is refused with a suggestion', async () => {
    const { code, err } = await run('taskserv status ngnix', []);
    expect([code, err]).toEqual([2, expect.stringContaining('nginx')]);
  });
});
