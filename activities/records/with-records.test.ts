import { describe, expect, test } from 'vitest';
import type { Step } from '../../core/host/step.js';
import { zoneRecords } from '../../core/host/zone-records.js';
import type { ProviderConnection } from '../../core/machine/provider.js';
import type { RecordSet, ZoneVerbs } from '../../core/machine/zones.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import type { ActResult, Host, Work } from '../host/host.js';
import { addRecordVerbs } from './with-records.js';

const at = { provider: 'hetzner', zone: 'example.org', owner: 'default/shop' };
const names: Step = { title: 'Write names', file: { path: '/etc/hosts', content: '' } };
const record = (name: string): Step => ({
  title: `Set ${name}`,
  records: { ...at, name: `${name}.example.org`, to: { ttl: 300, addresses: ['192.0.2.1'] } },
});

/** A zone in memory, and what a host behind was given to do. */
function around(answer: ActResult = { executed: 1 }) {
  let sets: RecordSet[] = [];
  const given: [string, Work][] = [];
  const records: ZoneVerbs = {
    list: async () => sets,
    async change(_, changes) {
      for (const { name, type, to } of changes)
        sets = [...sets.filter((one) => one.name !== name || one.type !== type), ...(to ? [{ name, type, ...to }] : [])];
    },
  };
  const doing = (verb: string) => async (work: Work) => {
    given.push([verb, work]);
    return answer;
  };
  const looked = async (questions: readonly unknown[]) => ({
    answers: questions.map(() => ({ found: { of: 'host' }, toDo: () => [], toRemove: () => [], installed: () => 'host' })),
  });
  const behind = { run: doing('run'), undo: doing('undo'), look: looked } as never as Host;
  const connectionOf = async () => ({ records }) as never as ProviderConnection;
  const scope = { workspace: 'default', infra: 'shop', uuid: 'u' };
  const ref = { scope, server: 'lb', provider: 'local', connection: { kind: 'this' } } as const;
  const host = addRecordVerbs(behind, ref, connectionOf, { taskQueue: 'q' });
  const within = <T>(work: () => Promise<T>): Promise<T> => activityEnvironment().run(work) as Promise<T>;
  return { host, given, within, inZone: () => sets.filter(({ type }) => type === 'A').map(({ name }) => name.split('.')[0]) };
}

const work = (steps: Step[], more: Partial<Work> = {}): Work => ({
  operation: 'o',
  taskserv: 'cloud-dns',
  generation: 1,
  steps,
  ...more,
});

describe('steps of a unit', () => {
  test('are those of the host first, and records in the worker; what is not the host’s never comes to it', async () => {
    const { host, given, within, inZone } = around();
    expect(await within(() => host.run(work([names, record('a'), record('b')])))).toEqual({ executed: 3 });
    expect(given.map(([verb, { steps }]) => [verb, steps])).toEqual([['run', [names]]]);
    expect(inZone()).toEqual(['a', 'b']);
    expect(await within(() => host.undo(work([names, record('a'), record('b')], { keep: [0, 2] })))).toEqual({ executed: 3 });
    expect(given.at(-1)).toMatchObject(['undo', { steps: [names], keep: [0] }]);
    expect(inZone()).toEqual(['b']);
  });

  test('without one of the host need none, and no journal there', async () => {
    const { host, given, within, inZone } = around();
    expect(await within(() => host.run(work([record('a')])))).toEqual({ executed: 1 });
    expect(await within(() => host.undo(work([record('a')], { begun: true })))).toEqual({ executed: 1 });
    expect([given, inZone()]).toEqual([[], []]);
  });

  test('wait where the host was paused before them', async () => {
    const { host, within, inZone } = around({ executed: 0, paused: true });
    expect(await within(() => host.run(work([names, record('a')])))).toEqual({ executed: 0, paused: true });
    expect(inZone()).toEqual([]);
  });
});

test('questions are answered in their order, by the host and by the provider of the zone', async () => {
  const { host, within } = around();
  const question = { unit: 'cloud-dns', facts: { records: zoneRecords(at, ['a.example.org']) } };
  const check = { title: 'the names are set', records: [{ name: 'a.example.org' }] };
  const asked = [
    { unit: 'nginx', facts: {} },
    { ...question, health: { checks: [check], endpoints: [] } },
    { unit: 'redis', facts: {} },
  ];
  const look = () => within(async () => (await host.look(asked)).answers);
  const missing = await look();
  expect(missing.map(({ found }) => Object.keys(found))).toEqual([['of'], ['records'], ['of']]);
  expect(missing[1]?.why).toBe('the names are set: a.example.org has no records of ours');
  expect(missing[1]?.found).toMatchObject({
    records: { server: 'lb', noAddress: 'the platform reaches the server by no address' },
  });
  await within(() => host.run(work([record('a')])));
  expect((await look())[1]?.why).toBeUndefined();
});
