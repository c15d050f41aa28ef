import { expect, test } from 'vitest';
import { absentValue, type Facts, type PlanContext } from '../../sdk/index.js';
import { kubernetes } from './kubernetes.js';
import type { FoundMember } from './kubernetes-ask.js';
import { kubernetesConfig } from './kubernetes-config.js';
import { judge } from './kubernetes-group.js';

const NOTHING: FoundMember = { runs: false, leads: false, agrees: false, ready: false, etcd: [], nodes: [] };
const AUTHORITY = '0123456789abcdef0123456789abcdef';
const ETCD = ['a', 'b', 'c'].map((name, at) => ({ id: `${at + 1}`, name, learner: false }));
const PLANE: FoundMember = {
  ...{ role: 'control-plane', authority: AUTHORITY, runs: true, version: '1.36.3', id: '1' },
  ...{ leads: true, agrees: true, ready: true, etcd: ETCD },
  nodes: ['a', 'b', 'c', 'w'].map((name) => ({ name, version: '1.36.3', ready: true })),
};
const WORKER: FoundMember = { ...NOTHING, role: 'worker', authority: AUTHORITY, runs: true };

test('a control plane decides with etcd and its API, and a worker has no vote', () => {
  expect(judge({ member: NOTHING })).toEqual({ serves: false, why: 'it has not joined yet' });
  expect(judge({ member: PLANE })).toEqual({
    ...{ group: AUTHORITY, id: '1', serves: true, leads: true, voters: 3, lists: ['a', 'b', 'c', 'w'] },
  });
  expect(judge({ member: WORKER })).toEqual({ id: 'worker', serves: true });
  expect(judge({ member: { ...WORKER, runs: false } })).toEqual({ id: 'worker', serves: false, why: 'its kubelet does not run' });
});

test.each([
  [{ agrees: false }, 'no majority of etcd agrees with it'],
  [{ ready: false }, 'its API server is not ready'],
  [{ etcd: [], nodes: [] }, 'its etcd does not answer'],
  [{ id: '9' }, 'it is not in the list of members of etcd any more'],
])('a control plane with %j belongs to the group and does not serve', (change, why) => {
  expect(judge({ member: { ...PLANE, ...change } })).toMatchObject({ group: AUTHORITY, serves: false, why });
});

test('one that gets its data has no vote yet, and is known by its id', () => {
  const learns = { ...PLANE, etcd: ETCD.map((one) => ({ ...one, learner: one.id === '1' })) };
  expect(judge({ member: learns })).toMatchObject({ id: '1', serves: false, voters: 2 });
  expect(judge({ member: learns }).group).toBeUndefined();
});

type Seen = Record<string, FoundMember | 'silent' | 'expected'>;

const peer = (server: string, role: string): PlanContext['peers'][number] => ({
  ...{ server, role: 'x', address: server, taskserv: 'kubernetes' },
  endpoints: kubernetes.endpoints?.(kubernetesConfig.parse({ role })) ?? [],
});

/** Plans a node among members as they were seen. */
function plan(server: string, seen: Seen, more: { role?: string; version?: string; host?: object; found?: object } = {}) {
  const { role = 'control-plane', version = '1.36.3' } = more;
  const config = kubernetesConfig.parse({ role });
  const members = Object.entries(seen).map(([name, member]) =>
    typeof member === 'string'
      ? { server: name, address: name, state: member }
      : { server: name, address: name, state: 'seen' as const, standing: judge({ member }), found: { member } },
  );
  const own = seen[server];
  const facts: Facts = kubernetes.facts(config, version);
  const absent = Object.entries(facts).map(([key, fact]) => [key, absentValue(fact)]);
  const found = {
    ...Object.fromEntries(absent),
    ...(typeof own === 'object' && { member: own }),
    ...more.found,
  };
  const peers = Object.keys(seen).map((name) => peer(name, name === 'w' ? 'worker' : 'control-plane'));
  const host = { name: server, role: 'x', os: 'debian', arch: 'amd64', cores: 2, memoryMiB: 4_096, ...more.host };
  const steps = kubernetes.plan(config, found as never, { host, peers, version, group: { name: 'kubernetes', members } });
  return steps.map(({ title }) => title);
}

const found = 'Found the Kubernetes cluster kubernetes';
const joins = (name: string) => `Add ${name} to the Kubernetes cluster kubernetes as a control plane`;

test('only the first control plane founds the cluster, and only if none of the others may have it', () => {
  const all: Seen = { a: 'expected', b: 'expected', c: 'expected' };
  expect(plan('a', all)).toContain(found);
  expect(plan('b', all)).toContain(joins('b'));
  expect(plan('a', { ...all, b: { ...PLANE, id: '2' } })).toContain(joins('a'));
  expect(() => plan('a', { ...all, c: 'silent' })).toThrow(/c may have the cluster, and does not answer/);
  expect(() => plan('a', { ...all, b: { ...PLANE, id: '2', agrees: false } })).toThrow(/no control plane serves: b has data/);
  // One that is seen by a majority makes up for one that is silent.
  expect(plan('b', { a: PLANE, b: NOTHING, c: 'silent' })).toContain(joins('b'));
});

test('a node of another cluster, or with another role, is not changed', () => {
  const other = { ...PLANE, id: '2', authority: 'f'.repeat(32) };
  expect(() => plan('b', { a: PLANE, b: other })).toThrow(/belongs to another cluster than a/);
  expect(() => plan('a', { a: PLANE, b: 'expected' }, { role: 'worker' })).toThrow(
    /it is a control-plane, and the definition says worker/,
  );
});

test('settings that a cluster keeps cannot be changed', () => {
  const settings = '6443,6444,10.244.0.0/16,10.96.0.0/12,cluster.local';
  expect(plan('a', { a: { ...PLANE, settings } })).not.toEqual([]);
  expect(() => plan('a', { a: { ...PLANE, settings: settings.replace('6444', '7444') } })).toThrow(/was founded with/);
});

test('versions that Kubernetes forbids together are refused', () => {
  const at = (version: string): Seen => ({ a: { ...PLANE, version }, b: 'expected', w: 'expected' });
  expect(() => plan('w', at('1.35.8'), { role: 'worker', version: '1.36.3' })).toThrow(/must not be newer than a control plane/);
  expect(plan('w', at('1.36.3'), { role: 'worker', version: '1.34.11' })).toContain(
    'Add w to the Kubernetes cluster kubernetes as a worker',
  );
  expect(() => plan('b', at('1.36.3'), { version: '1.34.11' })).toThrow(/too old/);
  expect(() => plan('b', at('1.34.11'), { version: '1.36.3' })).toThrow(/more than one minor version newer/);
  expect(plan('b', at('1.36.3'), { version: '1.35.8' })).toContain(joins('b'));
  expect(() => plan('a', { a: { ...PLANE, version: '1.36.3' } }, { version: '1.36.4' })).toThrow(/runs 1.36.3/);
});

test('a host that cannot be a node is refused before anything is changed', () => {
  const alone: Seen = { a: 'expected' };
  const swap = { host: { swap: true, nested: false, unified: true, systemd: true, forwards: false } };
  expect(() => plan('a', alone, { found: swap })).toThrow(/swap is on/);
  expect(() => plan('a', alone, { host: { memoryMiB: 1_024 } })).toThrow(/1024 MiB of memory, a control-plane needs 1700 MiB/);
  expect(() => plan('a', alone, { host: { cores: 1 } })).toThrow(/one core/);
  expect(() => plan('w', { a: PLANE, w: 'expected' }, { role: 'worker', host: { memoryMiB: 512 } })).toThrow(/needs 700 MiB/);
});
