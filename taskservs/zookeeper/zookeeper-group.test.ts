import { expect, test } from 'vitest';
import type { HealthContext, PlanContext, Step } from '../../sdk/index.js';
import { zookeeper } from './zookeeper.js';
import { type FoundMember, memberFact } from './zookeeper-ask.js';
import { config } from './zookeeper-config.js';
import { planMember, zookeeperGroup } from './zookeeper-group.js';
import type { ZookeeperMember } from './zookeeper-steps.js';

const CLUSTER = '6c6ae3f2-0000-4000-8000-000000000001';
const CONFIG = config.parse({ cluster: 'main', allow: ['10.0.0.0/8'] });
const list = [...'abc'].map((name, index) => ({
  ...{ id: `${index + 1}`, peers: `${name}:2888:3888`, clients: '[fd00:0:0:0:0:0:0:1]:2181' },
}));
const serving = (id: string): FoundMember => ({ data: { id, cluster: CLUSTER }, serves: true, leads: id === '1', list });
const begun: FoundMember = { data: { id: '1' }, serves: false, leads: false, list: [] };

const member = (server: string, found?: FoundMember): ZookeeperMember => ({
  ...{ server, address: server },
  ...(found
    ? { state: 'seen', standing: zookeeperGroup.standing({ member: found }), found: { member: found } }
    : { state: 'expected' }),
});
const start: Step = { title: 'Start zookeeper', service: { name: 'zookeeper', state: 'running', enabled: true } };
const plan = (server: string, members: ZookeeperMember[], changed: object = {}): Step[] =>
  planMember({ ...CONFIG, ...changed }, { host: { name: server }, group: { name: 'main', members } } as never as PlanContext, {
    ...{ steps: [start], clients: 'fd00::1' },
  });
const all = [member('a', serving('1')), member('b', serving('2')), member('c', serving('3'))];

test('another port is announced, and its undo says the former one: no member with a vote is taken out', () => {
  const step = plan('b', all, { peerPort: 2999 }).at(-1) as Step & { run: string; undo: string };
  expect(step.title).toBe('Announce the address of b to the zookeeper cluster main');
  expect(step.run.split('\n').at(-1)).toBe('administer announce "$AT" b 2 "$ME:participant;$CLIENTS"');
  expect(step.undo.split('\n').at(-1)).toBe(`administer announce "$AT" b 2 'b:2888:3888:participant;[fd00:0:0:0:0:0:0:1]:2181'`);
});

test('an address of version 6 is the same in full and in short, and has brackets before its port', () => {
  expect(plan('b', all)).toEqual([start]);
  expect((plan('b', [member('a', serving('1')), member('b')])[0] as { run?: string }).run).toContain("CLIENTS='[fd00::1]:2181'");
});

test('only a member that joins is taken out again by an undo', () => {
  const [founds, joins] = [plan('a', [member('a'), member('b')]), plan('b', [member('a', serving('1')), member('b')])];
  expect((founds.at(-1) as { undo?: string }).undo).toBe(':');
  expect((joins.at(-1) as { undo?: string }).undo).toContain('administer remove "$AT" b "$ID"');
});

test('a founder without its vote yet has the data: no second one founds a cluster', () => {
  expect(() => plan('a', [member('a'), member('b', begun)])).toThrow('b has data');
});

test('a member that cannot be read is silent, and not one without data', () => {
  const { run } = memberFact() as { run: string };
  expect(run).toContain('look 2>/dev/null || exit 1');
});

test('a member of a cluster does not become a single server with its data', () => {
  const context = { host: { name: 'a' } } as never as PlanContext & HealthContext;
  expect(() => zookeeper.plan({ ...CONFIG, cluster: undefined, allow: [] }, { member: true } as never, context)).toThrow(
    'it has data of a cluster',
  );
});
