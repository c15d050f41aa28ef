import { describe, expect, test } from 'vitest';
import { absentValues } from '../../core/host/facts.js';
import type { Peer } from '../../sdk/index.js';
import { definitionOf } from '../../test/support/definition.js';
import { clusterSettings, isSameJson } from './cluster-settings.js';
import { type FoundMember, readMember } from './member.js';
import { patroni } from './patroni.js';
import { patroniConfig } from './patroni-config.js';
import { createGroup, judgeMember } from './patroni-group.js';

const passwords = { superuser: { $secret: 's' }, replication: { $secret: 'r' }, api: { $secret: 'a' } };
const configOf = (more = {}) => patroniConfig.parse({ passwords, ...more });
const host = { name: 'db-1', role: 'db', os: 'debian', arch: 'amd64', cores: 2, memoryMiB: 2048 };
const etcdOn = (server: string, local = false): Peer => ({
  ...{ server, role: 'etcd', address: server, taskserv: 'etcd' },
  endpoints: [{ name: 'etcd', port: 2379, local }],
});

const NOTHING: FoundMember = { data: [], answers: false, members: [] };

function planWith(peers: Peer[], member: Partial<FoundMember> = {}, version = '15') {
  const config = configOf();
  const found = { ...absentValues(patroni.facts(config, version)), member: { ...NOTHING, ...member } };
  return patroni.plan(config, found, { host, peers, version });
}

describe('bad input', () => {
  test.each([
    ['no etcd', [], {}, 'no server of the definition has etcd', 'add the taskserv etcd'],
    ['an etcd that only its own server reaches', [etcdOn('etcd-1', true)], {}, 'only on its own server', 'give etcd `tls`'],
    ['a member of another cluster', [etcdOn('etcd-1')], { scope: 'other' }, 'member of the cluster other', '`cluster: other`'],
    ['data of another major version', [etcdOn('etcd-1')], { data: ['13'] }, 'its data has version 13', 'another server'],
  ] as const)('%s', (_, peers, member, why, hint) => {
    expect(() => planWith([...peers], member as Partial<FoundMember>)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({
          code: 'bad-definition',
          why: expect.stringContaining(why),
          hint: expect.stringContaining(hint),
        }),
      }),
    );
  });

  test.each([
    [{ ttl: '6 s' }, 'ttl'],
    [{ retryTimeout: '2 s' }, 'retryTimeout'],
    [{ apiPort: 5432 }, 'apiPort'],
    [{ settings: { synchronous_standby_names: '*' } }, 'settings.synchronous_standby_names'],
    [{ users: [{ name: 'replicator', password: { $secret: 'x' } }] }, 'users.0.name'],
    [{ databases: [{ name: 'shop', owner: 'ann' }] }, 'databases.0.owner'],
    [{ cluster: 'no/slash' }, 'cluster'],
  ])('%j', (more, path) => {
    const { error } = patroniConfig.safeParse({ passwords, ...more });
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });

  test('postgres on the same server', () => {
    const generated = { generate: 'password' } as const;
    const given = { superuser: generated, replication: generated, api: generated };
    const taskservs = ['etcd', 'postgres', { name: 'patroni', config: { passwords: given, port: 5433 } }];
    expect(() => definitionOf({ infra: 'shop', provider: 'demo', servers: [{ name: 'a' }], taskservs })).toThrow(
      '"patroni" and "postgres" cannot share a server',
    );
  });
});

describe('settings of the cluster', () => {
  test('a commit waits for a second member, unless the member is alone', () => {
    expect(clusterSettings(configOf(), '15', false)).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true });
    expect(clusterSettings(configOf(), '15', true)).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: false });
    const off = configOf({ synchronous: 'off' });
    expect(clusterSettings(off, '15', false)).toMatchObject({ synchronous_mode: false, synchronous_mode_strict: false });
  });

  test('the ttl is what Patroni of the release takes: another one would differ at each look', () => {
    expect(clusterSettings(configOf(), '15', false).ttl).toBe(8);
    expect(clusterSettings(configOf(), '17', false).ttl).toBe(20);
    expect(clusterSettings(configOf({ ttl: '30 s' }), '17', false).ttl).toBe(30);
  });

  test('are compared in whatever order etcd has them', () => {
    const one = clusterSettings(configOf(), '15', false);
    const reversed = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, item]) => [key, reversed(item)]),
          )
        : value;
    expect(isSameJson(one, reversed(one))).toBe(true);
    expect(isSameJson({ ...one, ttl: 11 }, one)).toBe(false);
    expect(isSameJson({ ...one, pause: true }, one)).toBe(false);
    expect(isSameJson(one, { ...one, pause: true })).toBe(false);
    expect(isSameJson([1, 2], [2, 1])).toBe(false);
    expect(isSameJson([], {})).toBe(false);
  });
});

describe('a member', () => {
  const answers = (rows: string[]) => readMember({ stdout: rows.join('\n'), exit: 0 });
  const cluster = (leader: string) =>
    JSON.stringify({
      members: ['db-1', 'db-2'].map((name) => ({ name, role: name === leader ? 'leader' : 'sync_standby', state: 'running' })),
    });
  const status = (role: string, more = {}) =>
    JSON.stringify({ state: 'running', role, timeline: 3, server_version: 150_014, database_system_identifier: '73', ...more });
  const rows = (role: string, leader: string, more = {}) => [
    ...['scope|shop', 'name|db-1', 'data|15', 'installed|postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)'],
    ...[`patroni|${status(role, more)}`, `cluster|${cluster(leader)}`, 'config|{"ttl": 10}'],
  ];

  test('leads or follows, in the words of Patroni 3 and 4', () => {
    for (const role of ['master', 'primary']) {
      const leader = answers(rows(role, 'db-1'));
      expect(leader).toMatchObject({ scope: 'shop', primary: true, timeline: 3, settings: { ttl: 10 } });
      expect(leader.newerInstalled).toBeUndefined();
      expect(judgeMember(leader)).toEqual({ group: '73', id: 'db-1', serves: true, leads: true });
    }
    expect(judgeMember(answers(rows('replica', 'db-2')))).toEqual({ group: '73', id: 'db-1', serves: true });
  });

  test('does not lead once etcd names another leader, and does not serve without any', () => {
    expect(judgeMember(answers(rows('master', 'db-2')))).toEqual({ group: '73', id: 'db-1', serves: true });
    const none = judgeMember(answers(rows('replica', 'none')));
    expect(none).toMatchObject({ serves: false, why: expect.stringContaining('a majority of etcd must answer') });
    expect(none.leads).toBeUndefined();
  });

  test('does not serve while it is stopped or silent', () => {
    expect(judgeMember(answers(rows('replica', 'db-2', { state: 'starting' })))).toMatchObject({
      serves: false,
      why: 'PostgreSQL is starting',
    });
    expect(judgeMember(answers(['scope|shop', 'data|15']))).toEqual({ serves: false, why: 'Patroni does not answer' });
    expect(judgeMember(answers([]))).toEqual({ serves: false });
  });

  test('needs a restart by its own word, and by a newer minor version', () => {
    expect(answers(rows('master', 'db-1', { pending_restart: true })).pendingRestart).toBe(true);
    expect(answers(rows('master', 'db-1', { server_version: 150_013 })).newerInstalled).toBe(true);
  });

  test('may answer anything', () => {
    for (const text of ['', '[]', 'null', '"x"', '{', '<html>', '{"members": 7, "state": 7}']) {
      const found = answers([`patroni|${text}`, `cluster|${text}`, `config|${text}`, 'data|../..']);
      expect(found.members).toEqual([]);
      expect(found.data).toEqual([]);
      expect(judgeMember(found).serves).toBe(false);
    }
    const odd = answers([`patroni|${status('master', { state: `a\u001b[2J${'x'.repeat(100)}` })}`]);
    expect(odd.state).not.toContain('\u001b');
  });
});

describe('a switch-over on request', () => {
  const listed = { leads: false, state: 'streaming' };
  const MEMBERS: FoundMember['members'] = [
    { name: 'db-1', leads: true, state: 'running' },
    { name: 'db-2', ...listed, synchronous: true, lag: 0 },
    { name: 'db-3', ...listed, lag: 2 ** 27 },
  ];
  function handOver(to?: string, { isSynchronous = true, members = MEMBERS } = {}) {
    const member: FoundMember = { ...NOTHING, members, settings: { synchronous_mode: isSynchronous } };
    const at = (server: string) => ({ server, address: server, state: 'seen' as const, found: { member } });
    const group = { name: 'main', members: ['db-1', 'db-2', 'db-3'].map(at) };
    try {
      const steps = createGroup('15').handOver?.(configOf(), at('db-1'), group, to === undefined ? undefined : at(to));
      return steps?.map(({ title }) => title).join();
    } catch (error) {
      return (error as { details: { why: string } }).details.why;
    }
  }
  const onlyLeader = MEMBERS.slice(0, 1);

  test.each([
    ['to the member that confirms commits', handOver('db-2'), 'Let db-2 lead the cluster main instead of db-1'],
    ['to any', handOver(), 'Let another member lead the cluster main instead of db-1'],
    ['not to one that may lack writes', handOver('db-3'), expect.stringContaining('db-3 does not confirm commits')],
    [
      'without waiting for commits, to one that is near',
      handOver('db-2', { isSynchronous: false }),
      expect.stringContaining('Let db-2'),
    ],
    ['not to one that is far behind', handOver('db-3', { isSynchronous: false }), expect.stringContaining('lacks 134217728 bytes')],
    ['not to one that Patroni does not list', handOver('db-2', { members: onlyLeader }), 'Patroni does not list such a member'],
    [
      'not to one that is stopped',
      handOver('db-2', { members: [{ name: 'db-2', leads: false, state: 'stopped', synchronous: true }] }),
      'PostgreSQL of db-2 is stopped',
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});
