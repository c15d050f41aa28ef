import { expect, test } from 'vitest';
import { judgeMembers, type MemberSeen } from './group-findings.js';

const SERVERS = ['a', 'b', 'c'];

const entry = (server: string, more: { id?: string; state?: string; learner?: string } = {}) =>
  `${more.id ?? `id-${server}`}, ${more.state ?? 'started'}, ${server}, https://${server}:2380, https://${server}:2379, ${more.learner ?? 'false'}`;

const LIST = SERVERS.map((server) => entry(server));

const member = (server: string, more: Partial<MemberSeen> = {}): MemberSeen => ({
  ...{ server, cluster: 'one', id: `id-${server}`, leads: server === 'b', revision: 7, hash: 'h', list: LIST, left: [] },
  ...more,
});

/** Members that all say the same, except one of them. */
const seen = (more: Partial<MemberSeen> = {}, last: Partial<MemberSeen> = {}) =>
  SERVERS.map((server) => member(server, { ...more, ...(server === 'c' && last) }));

const judge = (members: MemberSeen[], former = {}) =>
  judgeMembers(members, SERVERS, { ids: {}, ...former }).map(({ kind, what }) => `${kind}: ${what}`);

test('nothing is said of a cluster that is whole', () => {
  expect(judge(seen(), { cluster: 'one', ids: { a: 'id-a' } })).toEqual([]);
});

test.each<[string, string[], string]>([
  ['a member without a host', [...LIST, entry('d')], 'orphaned: the member id-d of d has no host'],
  ['a host without a member', LIST.slice(0, 2), 'orphaned: the host c is no member'],
  ['two members of a host', [...LIST, entry('c', { id: 'id-2' })], 'doubled: c is a member twice'],
  [
    'a member that never came',
    [...LIST.slice(0, 2), entry('c', { state: 'unstarted' })],
    'wrong: the member of c has never started',
  ],
  ['a member without a vote', [...LIST.slice(0, 2), entry('c', { learner: 'true' })], 'wrong: the member of c has no vote'],
])('a list with %s', (_, list, what) => {
  expect(judge(seen({ list }))).toEqual([what]);
});

test.each<[string, Partial<MemberSeen>, string]>([
  ['another cluster', { cluster: 'two' }, 'doubled: there are 2 clusters'],
  ['a second leader', { leads: true }, 'wrong: b and c leads'],
  ['less data', { revision: 6 }, 'wrong: c has revision 6 (h), a 7 (h)'],
  ['other data', { hash: 'x' }, 'wrong: c has revision 7 (x), a 7 (h)'],
  ['another list', { list: [...LIST, entry('d')] }, 'wrong: c has another list of members than a'],
  ['former data beside its own', { left: ['/var/lib/etcd/former-1-2'] }, 'orphaned: /var/lib/etcd/former-1-2 is on c'],
])('a member with %s', (_, last, what) => {
  expect(judge(seen({}, last))).toEqual([what]);
});

test('a cluster without a leader, one that is another one, and a member that is', () => {
  expect(judge(seen({ leads: false }))).toEqual(['wrong: no member leads']);
  expect(judge(seen(), { cluster: 'former' })).toEqual(['wrong: it is another cluster than before']);
  expect(judge(seen(), { ids: { a: 'other' } })).toEqual(['wrong: a is another member than before, and nothing asked for that']);
});
