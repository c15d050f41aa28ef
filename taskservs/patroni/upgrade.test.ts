import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { absentValues } from '../../core/host/facts.js';
import type { GroupContext, Member, Peer, Step } from '../../sdk/index.js';
import { clusterSettings } from './cluster-settings.js';
import type { FoundMember } from './member.js';
import { patroni } from './patroni.js';
import { patroniConfig } from './patroni-config.js';
import { createGroup, judgeMember } from './patroni-group.js';
import { UPGRADE_PROGRAM } from './places.js';
import { findNamespace } from './upgrade.js';
import { UPGRADE_TEXT } from './upgrade-program.js';

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

  const rulesOf = (step: Step | undefined): string[] => JSON.parse(String((step as { stdin: string }).stdin)).postgresql.pg_hba;

  test.each([
    [{}, 'strict'],
    [{ synchronous: 'preferred' }, 'at once'],
    [{ synchronous: 'off' }, 'at once'],
  ] as const)('%j: the new version begins with members only, and its leader lets clients in: %s', (more, when) => {
    const steps = planOn('db-1', former, { ...more, allow: ['10.0.0.0/8'] });
    const first = rulesOf(steps.find(({ title }) => title.startsWith('Copy the data')));
    expect(first.filter((rule) => /all all /.test(rule) && !rule.endsWith('reject'))).toEqual([]);
    expect(first).toContain('host replication replicator 10.0.0.0/8 scram-sha-256');

    // A step that fails before clients are let in is undone without a look at what they wrote.
    const isLook = (step: Step) => 'run' in step && step.undo?.includes(' keep-writes ');
    const opening = steps.filter(({ title }) => title.startsWith('Let clients into'));
    expect(opening.map((step) => [rulesOf(step).includes('local all all peer'), isLook(step)])).toEqual(
      when === 'strict' ? [] : [[true, true]],
    );
    const look = steps.findIndex(isLook);
    expect(look).toBeGreaterThan(titles(steps).indexOf('Wait until the member leads or follows'));
    expect(steps.slice(look + 1).every((step) => step.irreversible)).toBe(true);
  });

  test('looks for room on all hosts before anything is changed, and at etcd before clients are kept out', () => {
    const steps = planOn('db-1', former);
    expect(steps[0]).toMatchObject({ file: { path: UPGRADE_PROGRAM } });
    expect(steps[1]).toMatchObject({ run: `${UPGRADE_PROGRAM} ready 15 17 db-2 db-3` });
    const actions = steps.flatMap((step) => ('run' in step ? (step.run.split(' ')[1] ?? []) : []));
    expect(actions.indexOf('clear')).toBeLessThan(actions.indexOf('halt'));
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

/** Runs one function of the program. `patronictl` lists these members, and tells which command it got last. */
function clearPlace(members: string[]): string[] {
  const [clear = ''] = /^def clear\(\):[\s\S]*?\n(?=\S)/m.exec(`${UPGRADE_TEXT}\n`) ?? [];
  const source = `
import json, os, sys
from types import SimpleNamespace as Some
TO, scope, calls = "17", "main", []
def run(words, env, **more):
    calls.append(words[3] + " in " + env["PATRONI_NAMESPACE"])
    return Some(returncode=0, stdout=sys.argv[1], stderr="")
subprocess = Some(run=run, PIPE=0, DEVNULL=1, STDOUT=2)
def until_none(_, look): return look()
def refuse(why): calls.append(why)
${clear}
clear()
print("\\n".join(calls))`;
  const listed = JSON.stringify(members.map((Member) => ({ Member, State: 'stopped' })));
  return execFileSync('python3', ['-c', source, listed], { encoding: 'utf8' }).trim().split('\n');
}

test('a place in etcd is emptied only if no Patroni runs there', () => {
  expect(clearPlace([])).toEqual(['list in /patroni/17/', 'remove in /patroni/17/']);
  expect(clearPlace(['db-2'])).toEqual(['list in /patroni/17/', 'Patroni of PostgreSQL 17 runs on db-2']);
});
