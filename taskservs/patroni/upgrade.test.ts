import { describe, expect, test } from 'vitest';
import { absentValues } from '../../core/host/facts.js';
import type { GroupContext, Member, Peer, Step } from '../../sdk/index.js';
import { clusterSettings } from './cluster-settings.js';
import type { FoundMember } from './member.js';
import { patroni } from './patroni.js';
import { patroniConfig } from './patroni-config.js';
import { createGroup, judgeMember } from './patroni-group.js';
import { findNamespace } from './upgrade.js';

const passwords = { superuser: { $secret: 's' }, replication: { $secret: 'r' }, api: { $secret: 'a' } };
const configOf = (more = {}) => patroniConfig.parse({ passwords, ...more });
const hostOf = (name: string) => ({ name, role: 'db', os: 'debian', arch: 'amd64', cores: 2, memoryMiB: 2048 });
const etcd: Peer = {
  ...{ server: 'ops', role: 'ops', address: 'ops', taskserv: 'etcd' },
  endpoints: [{ name: 'etcd', port: 2379, local: false }],
};

/** A member of `db-1` to `db-3` that answers; `leader` is the one that it sees lead. */
const memberOf = (name: string, leader: string | undefined, version = '15'): FoundMember => ({
  ...{ scope: 'main', name, version, namespace: version === '15' ? '/patroni/' : '/patroni/17/', data: [version] },
  ...{ answers: true, system: version === '15' ? '7' : '8', state: 'running', primary: name === leader },
  members: ['db-1', 'db-2', 'db-3'].map((one) => ({ name: one, leads: one === leader, state: 'running' })),
});

const seen = (member: FoundMember): Member => ({
  ...{ server: member.name ?? '', address: member.name ?? '', state: 'seen', found: { member } },
  standing: judgeMember(member),
});

function planOn(name: string, members: Member[], more = {}): Step[] {
  const config = configOf(more);
  const own = members.find(({ server }) => server === name)?.found?.member;
  const found = { ...absentValues(patroni.facts(config, '17')), ...(own ? { member: own as FoundMember } : {}) };
  return patroni.plan(config, found, { host: hostOf(name), peers: [etcd], version: '17', group: { name: 'main', members } });
}

const former = ['db-1', 'db-2', 'db-3'].map((name) => seen(memberOf(name, 'db-1')));
const titles = (steps: Step[]) => steps.map(({ title }) => title);
const refusalOf = (plan: () => unknown) => {
  try {
    plan();
    return undefined;
  } catch (error) {
    return (error as { details: { code: string; why: string; hint?: string } }).details;
  }
};

describe('another major version', () => {
  test('is made by the leader, and copied by the others', () => {
    const leader = titles(planOn('db-1', former));
    const follower = titles(planOn('db-2', former));
    const copy = leader.indexOf('Copy the data of PostgreSQL 15 to 17, and compare what is inside');
    expect(leader.findIndex((title) => title.startsWith('Pause Patroni'))).toBe(copy - 1);
    expect(leader.indexOf('Write /etc/patroni/config.yml')).toBeGreaterThan(copy);
    expect(follower[1]).toBe('Wait until another member leads PostgreSQL 17');
    expect(follower).toContain('Let clients into PostgreSQL 17 of the cluster main');
  });

  test('has the same steps on a follower once the leader has it', () => {
    const later = [seen(memberOf('db-1', 'db-1', '17')), ...['db-2', 'db-3'].map((name) => seen(memberOf(name, undefined)))];
    expect(planOn('db-2', later)).toEqual(planOn('db-2', former));
  });

  test('begins with the leader, and any other change ends with it', () => {
    const { leaderFirst } = createGroup('15');
    const [leader] = former;
    expect(['17', '15'].map((version) => leader && leaderFirst?.(leader as never, version))).toEqual([true, false]);
  });

  test.each([
    [{}, true],
    [{ synchronous: 'preferred' }, false],
    [{ synchronous: 'off' }, false],
  ])('%j: clients are kept out until a second member has it: %s', (more, isClosed) => {
    const copy = planOn('db-1', former, { ...more, allow: ['10.0.0.0/8'] }).find(({ title }) => title.startsWith('Copy the data'));
    const rules = JSON.parse(String((copy as { stdin: string }).stdin)).postgresql.pg_hba as string[];
    expect(rules.some((rule) => rule.startsWith('host all all'))).toBe(!isClosed);
    expect(rules).toContain('host replication replicator 10.0.0.0/8 scram-sha-256');
  });

  test('is not waited for by a member that has no other', () => {
    const [leader] = former;
    const pause = titles(planOn('db-1', leader ? [leader] : [])).find((title) => title.startsWith('Pause Patroni'));
    expect(pause).toContain('until PostgreSQL 17 leads');
  });

  test.each([
    ['a member whose host does not answer', { server: 'db-3', address: 'db-3', state: 'silent' }, 'db-3 does not answer'],
    ['a member that does not serve', seen({ ...memberOf('db-3', 'db-1'), state: 'stopped' }), 'PostgreSQL is stopped'],
  ] as const)('is refused with %s', (_, faulty, why) => {
    const refused = refusalOf(() => planOn('db-1', [...former.slice(0, 2), faulty as Member]));
    expect(refused).toMatchObject({ code: 'quorum-lost', why: expect.stringContaining(why) });
  });

  test('is refused without a leader: an upgrade that failed is rolled back first', () => {
    const without = ['db-1', 'db-2', 'db-3'].map((name) => seen(memberOf(name, undefined)));
    expect(refusalOf(() => planOn('db-2', without))?.hint).toContain('workflow rollback');
  });
});

test('each member finds the place of its version in etcd', () => {
  const at = (member: FoundMember, members: Member[], version = '17') =>
    findNamespace(member, { host: hostOf('db-3'), peers: [], version, group: { name: 'main', members } as GroupContext });
  const none: FoundMember = { data: [], answers: false, members: [] };
  const upgraded = [seen(memberOf('db-1', 'db-1', '17'))];
  expect(at(memberOf('db-3', 'db-1'), former)).toBe('/patroni/17/');
  expect(at(memberOf('db-3', 'db-1', '17'), upgraded)).toBe('/patroni/17/');
  expect(at({ ...memberOf('db-3', 'db-1', '17'), namespace: '/patroni/' }, upgraded)).toBe('/patroni/');
  // A new member goes where the others are, or will be.
  expect(at(none, upgraded)).toBe('/patroni/17/');
  expect(at(none, former)).toBe('/patroni/17/');
  expect(at(none, former, '15')).toBe('/patroni/');
  expect(at(none, [])).toBe('/patroni/');
});

test('Patroni 4 raises a short ttl with any version of PostgreSQL', () => {
  const ttl = (version: string, package_?: string) => clusterSettings(configOf(), version, false, { patroni: package_ }).ttl;
  expect([ttl('15'), ttl('15', '3.0.2-1'), ttl('15', '4.0.5-1'), ttl('17', '3.0.2-1'), ttl('17')]).toEqual([8, 8, 20, 8, 20]);
});
