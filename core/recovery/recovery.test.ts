import { describe, expect, test } from 'vitest';
import type { Feed, FeedContent } from '../infra/feed.js';
import type { InventoryChange, InventoryServer } from '../infra/inventory.js';
import type { HostRecord } from './host-record.js';
import { hostWords } from './recovered-hosts.js';
import { planRecovery } from './recovery.js';
import type { LabelledThing, LabelledThings } from './recovery-report.js';
import { listLeftServers } from './recovery-without-feed.js';

const place = { workspace: 'w', infra: 'i' };
const server = (name: string, spec: object = {}) =>
  ({
    name,
    provider: 'demo',
    id: name,
    connection: { kind: 'this' },
    services: {},
    since: 'o',
    spec,
  }) as unknown as InventoryServer;
const has = (...servers: InventoryServer[]): FeedContent => ({
  kind: 'changes',
  operation: 'o',
  actor: 'ada',
  grant: 1,
  changes: servers.map((one): InventoryChange => ({ change: 'server', server: one })),
});
const feed = (uuid: string, at: string, ...contents: FeedContent[]): Feed => ({
  uuid,
  entries: contents.map((content, index) => ({ sequence: index + 1, at, content })),
});
const thing = (uuid: string, name: string, kind: LabelledThing['kind'] = 'server', more = {}): LabelledThing => ({
  ...{ kind, name, id: name, provider: 'demo', scope: { ...place, uuid } },
  ...more,
});
const labelled = (things: LabelledThing[], more: Partial<LabelledThings> = {}): LabelledThings => ({
  things,
  servers: [],
  unasked: [],
  ...more,
});

describe('what is brought back', () => {
  test('is what the feed has, each thing with what labels say of it', () => {
    const existing = server('old', { host: { address: 'x' } });
    const away = { ...server('far'), provider: 'aws' };
    const found = planRecovery(
      place,
      [feed('u', 't', has(server('a'), server('b'), existing, away))],
      labelled([thing('u', 'a'), thing('u', 'c'), thing('other', 'b')], { unasked: [{ provider: 'aws', why: 'no' }] }),
    );
    expect(found?.report.servers.map(({ name, state }) => [name, state])).toEqual([
      ['a', 'confirmed'],
      ['b', 'missing'],
      ['far', 'not-asked'],
      ['old', 'not-asked'],
    ]);
    expect(found?.report).toMatchObject({ source: 'feed', uuid: 'u', at: 't', unasked: [{ provider: 'aws' }] });
    expect(found?.report.others.map(({ name, scope }) => [name, scope.uuid])).toEqual([
      ['c', 'u'],
      ['b', 'other'],
    ]);
    expect([found?.last, Object.keys(found?.known.inventory.servers ?? {})]).toEqual([1, ['a', 'b', 'old', 'far']]);
  });

  test('is of several lives the one that labels bear, else the latest', () => {
    const feeds = [feed('first', 't1', has(server('a'))), feed('second', 't2', has(server('a')))];
    expect(planRecovery(place, feeds, labelled([]))?.report.uuid).toBe('second');
    expect(planRecovery(place, feeds, labelled([thing('first', 'a')]))?.report.uuid).toBe('first');
  });

  test('is without a feed what labels say, and of that one life', () => {
    const things = [thing('u', 'a'), thing('u', 'n', 'network', { key: 'op-1/network/n/1' }), thing('v', 'a')];
    const servers = [
      { uuid: 'u', server: server('a') },
      { uuid: 'v', server: server('a') },
    ];
    const found = planRecovery(place, [], labelled(things, { servers }));
    expect(found?.report).toMatchObject({ source: 'labels', uuid: 'u', servers: [{ name: 'a', state: 'confirmed' }] });
    expect(found?.known.inventory.networks).toEqual({ n: { name: 'n', provider: 'demo', id: 'n', since: 'op-1' } });
    expect(found?.report.others).toEqual([thing('v', 'a')]);
  });

  test('is nothing of an infra that was deleted, whatever is left of it', () => {
    const ended = feed('u', 't', has(server('a')), { kind: 'ended' });
    const left = labelled([thing('u', 'a')], { servers: [{ uuid: 'u', server: server('a') }] });
    expect(planRecovery(place, [ended], left)).toBeUndefined();
    expect(planRecovery(place, [], labelled([]))).toBeUndefined();
    // A volume is not enough for a recovery.
    expect(planRecovery(place, [], labelled([thing('u', 'a/data', 'volume')]))).toBeUndefined();
  });

  const host = (name: string, more: Partial<HostRecord> = {}): HostRecord => ({
    ...{ server: name, provider: 'demo', id: name, services: [] },
    ...more,
  });
  const mark = (uuid: string, proven = false, infra = 'i') => ({ mark: { workspace: 'w', infra, uuid, proven } });
  const service = {
    ...{ taskserv: 'redis', operation: 'o', at: '2026-01-01T00:00:00.000Z', version: '7', outcome: 'done' as const },
  };

  test('is what labels confirm and hosts do not contradict', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const records = [
      host('a', { ...mark('u'), services: [service] }),
      host('b', mark('v', true)),
      host('c', { why: 'no answer' }),
      host('d'),
    ];
    const found = planRecovery(
      place,
      [],
      labelled(
        names.map((name) => thing('u', name)),
        { servers: names.map((name) => ({ uuid: 'u', server: server(name) })), records },
      ),
    );
    expect(found?.report.servers.map(({ name, state, by, host: on }) => [name, state, by, on?.says])).toEqual([
      ['a', 'confirmed', 'label', 'confirmed'],
      ['c', 'confirmed', 'label', 'not-reached'],
      ['d', 'confirmed', 'label', 'unmarked'],
      ['e', 'confirmed', 'label', undefined],
    ]);
    expect(found?.report.servers[0]?.host?.services).toEqual([service]);
    const owner = { workspace: 'w', infra: 'i', uuid: 'v' };
    expect(found?.report.left).toEqual([
      { name: 'b', provider: 'demo', state: 'contradicted', host: { says: 'contradicted', owner, services: [] } },
    ]);
    expect(found?.report.others).toEqual([]);
    // Journals are only reported.
    expect(Object.values(found?.known.inventory.servers ?? {}).map(({ services }) => services)).toEqual([{}, {}, {}, {}]);
  });

  test('is of machines that were there before what their marks confirm, by the life that labels show', () => {
    const machines = ['own', 'other', 'new', 'down', 'unasked', 'a'].map((name) => server(name, { host: { address: name } }));
    const records = [
      host('own', mark('u')),
      host('other', mark('u', true, 'j')),
      host('new'),
      host('down', { why: 'no answer' }),
      host('a', mark('u')),
    ];
    const things = [thing('u', 'a')];
    const servers = [{ uuid: 'u', server: { ...server('a'), id: 'cloud' } }];
    const found = planRecovery(place, [], labelled(things, { servers, records }), machines);
    expect(found?.report.source).toBe('labels');
    expect(found?.report.servers.map(({ name, state, by }) => [name, state, by])).toEqual([
      ['a', 'confirmed', 'label'],
      ['own', 'confirmed', 'mark'],
    ]);
    expect(found?.known.inventory.servers.a?.id).toBe('cloud');
    expect(found?.report.left?.map(({ name, state, host: on }) => [name, state, on.says])).toEqual([
      ['down', 'unconfirmed', 'not-reached'],
      ['new', 'unconfirmed', 'unmarked'],
      ['other', 'contradicted', 'contradicted'],
    ]);
  });

  test('is without labels the life that hosts prove, and nothing where none does', () => {
    const machines = ['a', 'b', 'c'].map((name) => server(name, { host: { address: name } }));
    const unproven = labelled([], { records: [host('a', mark('u')), host('b', mark('v')), host('c', { why: 'off' })] });
    expect(planRecovery(place, [], unproven, machines)).toBeUndefined();
    expect(listLeftServers(place, [], unproven, machines).map(({ name, host: on }) => `${name} ${hostWords(on)}`)).toEqual([
      'a bears the mark of this infra, and nothing shows that this set-up has written it',
      'b bears the mark of this infra, and nothing shows that this set-up has written it',
      'c cannot be looked at: off',
    ]);
    const records = [host('a', mark('u')), host('b', mark('u', true)), host('c', mark('w', true, 'j'))];
    const found = planRecovery(place, [], labelled([], { records }), machines);
    expect([found?.report.source, found?.report.uuid, Object.keys(found?.known.inventory.servers ?? {})]).toEqual([
      'marks',
      'u',
      ['a', 'b'],
    ]);
    expect(found?.report.left?.map(({ name }) => name)).toEqual(['c']);
    const ended = [feed('u', 't', { kind: 'ended' })];
    expect(planRecovery(place, ended, labelled([], { records }), machines)).toBeUndefined();
    expect(
      listLeftServers(place, ended, labelled([], { records }), machines).map(({ state, host: on }) => `${state}: ${hostWords(on)}`),
    ).toEqual([
      'contradicted: bears the mark of a life of this infra that was deleted',
      'contradicted: bears the mark of a life of this infra that was deleted',
      'contradicted: bears the mark of infra "j" of workspace "w" (w)',
    ]);
  });
});
