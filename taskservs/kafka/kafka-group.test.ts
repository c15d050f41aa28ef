import { expect, test } from 'vitest';
import type { PlanContext, Step } from '../../sdk/index.js';
import { kafka } from './kafka.js';
import type { FoundMember } from './kafka-ask.js';
import { config } from './kafka-config.js';
import { type KafkaMember, kafkaGroup, planMember } from './kafka-group.js';
import { computeNode, pickHosts } from './kafka-places.js';
import { serverProperties } from './kafka-properties.js';

const secrets = (name: string) =>
  Object.fromEntries(['certificate', 'key', 'authority'].map((part) => [part, { $secret: `${name}-${part}` }]));
const CONFIG = { ...config.parse({ cluster: 'main', tls: secrets('kafka'), peerTls: secrets('peers') }), cluster: 'main' };
const CLUSTER = '5fyL_53mRhaaTCbPX8RQ3g';
const place = (server: string): string => server.padEnd(22, '_');
const voters = [...'abc'].map((server) => ({ node: computeNode(server), directory: place(server) }));
const serving = (server: string, leads = false): FoundMember => ({
  ...{ data: { cluster: CLUSTER, node: computeNode(server), directory: place(server) } },
  ...{ joining: false, clustered: true as const, serves: true, leads, voters },
});
const stopped = (server: string): FoundMember => ({ ...serving(server), serves: false, voters: [] });

const member = (server: string, found?: FoundMember): KafkaMember => ({
  ...{ server, address: server },
  ...(found
    ? { state: 'seen', standing: kafkaGroup.standing({ member: found }), found: { member: found } }
    : { state: 'expected' }),
});
const start: Step = { title: 'Start kafka', service: { name: 'kafka', state: 'running', enabled: true } };
const restart: Step = { title: 'Restart kafka', service: { name: 'kafka', state: 'running', enabled: true, change: 'restart' } };
const peers = pickHosts({ address: '10.0.0.2' }, 'b', 'address');
const plan = (server: string, members: KafkaMember[], steps: Step[] = [start]) =>
  planMember(CONFIG, { host: { name: server }, group: { name: 'main', members } } as never as PlanContext, { steps, peers });
const titles = (...args: Parameters<typeof plan>) => plan(...args).map(({ title }) => title);

test('a new cluster has the same steps before its first member serves as after: a plan that people hold stays the same', () => {
  const none = [member('a'), member('b'), member('c')];
  expect(plan('b', [member('a', serving('a', true)), member('b'), member('c')])).toEqual(plan('b', none));
  expect(plan('c', [member('a', serving('a', true)), member('b', serving('b')), member('c')])).toEqual(plan('c', none));
  expect(titles('a', none)[0]).toBe('Found the kafka cluster main');
});

test('members look each other up, so that a firewall lets them in, and tell an address at which they are reached', () => {
  expect(kafka.uses?.(CONFIG)).toEqual(['controllers', 'kafka-peers']);
  expect(kafka.uses?.(config.parse({}))).toEqual([]);
  const context = { host: { name: 'a' }, group: { name: 'main', members: [member('a'), member('b')] } } as never as PlanContext;
  expect(() => planMember(CONFIG, context, { steps: [start], peers: pickHosts('loopback', 'a', 'address') })).toThrow(
    'no address is known',
  );
});

test('nothing is founded beside data, or beside a host that does not answer', () => {
  expect(() => plan('a', [member('a'), member('b', stopped('b')), member('c')])).toThrow('b has data');
  const silent: KafkaMember = { server: 'b', address: 'b', state: 'silent' };
  expect(() => plan('a', [member('a'), silent, member('c')])).toThrow('b may have the cluster');
});

test('a member with data of now that has no vote yet gets it, and keeps its data', () => {
  const joining: FoundMember = { ...serving('d'), joining: true, serves: false };
  const all = [member('a', serving('a', true)), member('b', serving('b')), member('c', serving('c')), member('d', joining)];
  expect(titles('d', all, [])).toEqual([
    'Give d its vote in the kafka cluster main',
    'Wait until d has its data in the kafka cluster main',
  ]);
  expect(kafkaGroup.standing({ member: joining }).group).toBeUndefined();
});

test('a former member keeps its data beside the new one only after it asked the others again', () => {
  const former = { ...stopped('b'), data: { cluster: CLUSTER, node: computeNode('b'), directory: place('old') } };
  const steps = plan('b', [member('a', serving('a', true)), member('b', former), member('c', serving('c'))]);
  expect(steps[0]?.title).toContain('Keep the former data');
  const { run } = steps[0] as { run: string };
  expect(run.indexOf('administer "$HOW" voters')).toBeLessThan(run.indexOf('systemctl stop'));
  expect(run.indexOf('administer "$HOW" voters')).toBeGreaterThan(0);
});

test('a member without its vote that no other machine replaces keeps its data, and gets its vote again', () => {
  const without: FoundMember = { ...stopped('b'), voters: voters.filter(({ node }) => node !== computeNode('b')) };
  const others = ['a', 'c'].map((server) => member(server, { ...serving(server), voters: without.voters }));
  expect(titles('b', [...others, member('b', without)])).toEqual([
    ...['Start kafka', 'Give b its vote in the kafka cluster main', 'Wait until b has its data in the kafka cluster main'],
  ]);
});

test('two clusters that serve are not mixed, and a single server does not come out of a cluster', () => {
  const other = { ...serving('c'), data: { cluster: 'x'.repeat(22), node: computeNode('c'), directory: place('c') } };
  expect(() => plan('c', [member('a', serving('a')), member('b', serving('b')), member('c', other)])).toThrow('another cluster');
  const single = { ...config.parse({}) };
  const said = (content: string, one: FoundMember) => ({ conf: { content }, single: one }) as never;
  const found = said('# Written\n# Cluster: main\n', stopped('a'));
  expect(() => kafka.plan(single, found, { host: { name: 'a' }, peers: [] } as never)).toThrow(
    'as /etc/kafka/server.properties says',
  );
  // The service was removed, and its data was left.
  expect(() => kafka.plan(single, said('', stopped('a')), { host: { name: 'a' }, peers: [] } as never)).toThrow(
    'as /var/lib/kafka/clustered says',
  );
});

test('the data of a single server is noted as that of the cluster that it founds', () => {
  const { clustered: _, ...single } = serving('a', true);
  expect(titles('a', [member('a', single), member('b')], [])).toEqual(['Note that the data of kafka is that of the cluster main']);
});

test('each restart looks before and waits after, whoever leads', () => {
  const all = (leader: string) => [...'abc'].map((server) => member(server, serving(server, server === leader)));
  expect(plan('a', all('a'), [restart])).toEqual(plan('a', all('b'), [restart]));
  expect(titles('a', all('a'), [restart])).toEqual([
    'Check that the kafka cluster main can spare a',
    'Restart kafka',
    'Wait until a has its data in the kafka cluster main',
  ]);
  expect(plan('a', all('a'), [])).toEqual([]);
  const write: Step = { title: 'Write', run: 'x', undo: ':' };
  expect(titles('a', all('a'), [write, restart]).slice(0, 2)).toEqual(['Check that the kafka cluster main can spare a', 'Write']);
});

test('a member whose machine is replaced keeps its number, and its vote until the new one has the data', () => {
  const b = member('b', serving('b'));
  const rest = [member('a', serving('a')), member('c', serving('c'))];
  const replaced = (one: KafkaMember) => kafkaGroup.leave?.(CONFIG, one, { name: 'main', members: [...rest, one] });
  expect(replaced(member('b', stopped('b')))).toEqual([]);
  expect(replaced(b)?.map(({ title }) => title)).toEqual(['Check that others in the kafka cluster main have the data of b']);
  const steps = kafkaGroup.leave?.(CONFIG, b, { name: 'main', members: rest }) ?? [];
  expect(steps.map(({ title }) => title)).toEqual(['Remove b from the kafka cluster main']);
  expect((steps[0] as { run: string }).run).toContain(`NODE=${computeNode('b')}\n`);
});

test('a certificate of a client makes no member', () => {
  const { peerTls, ...rest } = { tls: secrets('kafka'), peerTls: secrets('peers'), cluster: 'main' };
  const { error } = config.safeParse({ ...rest, peerTls: { ...peerTls, authority: { $secret: 'kafka-authority' } } });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['peerTls.authority']);
});

test('a write needs two of three copies, and what is bound is what others are told', () => {
  const around = { server: 'b', clients: pickHosts({ address: '10.0.0.2' }, 'b', 'name'), peers, others: ['a', 'c'] };
  const text = serverProperties(CONFIG, around);
  for (const line of [
    'listeners=CLIENTS://10.0.0.2:9092,PEERS://10.0.0.2:9094,CONTROLLER://10.0.0.2:9093',
    'advertised.listeners=CLIENTS://b:9092,PEERS://10.0.0.2:9094,CONTROLLER://10.0.0.2:9093',
    ...['default.replication.factor=3', 'min.insync.replicas=2', 'unclean.leader.election.enable=false'],
    'listener.security.protocol.map=CLIENTS:SSL,PEERS:SSL,CONTROLLER:SSL',
  ])
    expect(text.split('\n')).toContain(line);
});
