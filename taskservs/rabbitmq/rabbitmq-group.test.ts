import { expect, test } from 'vitest';
import type { HealthContext, PlanContext, Step } from '../../sdk/index.js';
import { rabbitmq } from './rabbitmq.js';
import type { FoundMember } from './rabbitmq-ask.js';
import { rabbitmqConfig } from './rabbitmq-config.js';
import { planMember, type RabbitmqMember, rabbitmqGroup } from './rabbitmq-group.js';

const ID = 'rabbitmq-cluster-id-xsu1cmQGn6y79gPkcofmuw';
const reference = (name: string) => ({ $secret: name });
const CONFIG = rabbitmqConfig.parse({
  ...{ cluster: 'main', cookie: reference('k'), users: [{ name: 'shop', password: reference('p') }] },
  peerTls: { certificate: reference('c'), key: reference('k'), authority: reference('ca') },
});
const node = (server: string) => `rabbit-0000000${server}@${server}`;
const serving = (server: string, list = 'abc'): FoundMember => ({
  ...{ data: { node: node(server), cluster: ID }, serves: true, list: [...list].map(node) },
});
const stopped = (server: string, cluster = ID): FoundMember => ({
  ...{ data: { node: node(server), cluster }, serves: false, list: [] },
});
const member = (server: string, found?: FoundMember | 'silent'): RabbitmqMember => ({
  ...{ server, address: server },
  ...(typeof found === 'object'
    ? { state: 'seen', standing: rabbitmqGroup.standing({ member: found, cookie: '' }), found: { member: found, cookie: 'k' } }
    : { state: found ?? 'expected' }),
});
/** With the cookie of its configuration. */
const withCookie = (server: string, cookie: string, said = serving(server)): RabbitmqMember => ({
  ...member(server, said),
  found: { member: said, cookie },
});
const start: Step = { title: 'Start', service: { name: 'rabbitmq-server', state: 'running', enabled: true } };
const account: Step = { title: 'Account', run: 'x', undo: ':' };
const plan = (server: string, members: RabbitmqMember[], steps: Step[] = [start], setsCookie = false): string[] =>
  planMember(CONFIG, { host: { name: server }, group: { name: 'main', members } } as never as PlanContext, {
    ...{ steps, contents: [account], setsCookie },
  }).map(({ title }) => title.replace(' the rabbitmq cluster main', ''));

const JOIN = ['Create a node for', 'Start', 'Add b to', 'Wait until b serves in'];

test('the first member founds the cluster and makes its accounts, each other one joins and has them', () => {
  expect(plan('a', [member('a'), member('b')])).toEqual(['Found', 'Start', 'Wait until a serves in', 'Account']);
  expect(plan('b', [member('a'), member('b')])).toEqual(JOIN);
  expect(plan('b', [member('a', serving('a', 'a')), member('b')])).toEqual(JOIN);
});

test('no member without data founds or joins beside data that does not serve, or a host that does not answer', () => {
  expect(() => plan('a', [member('a'), member('b', stopped('b'))])).toThrow('b has data');
  expect(() => plan('a', [member('a'), member('b', 'silent')])).toThrow('b may have the cluster');
  expect(() => plan('a', [member('a'), member('b', { ...stopped('b'), data: { node: node('b') }, joined: ID })])).toThrow(
    'b has data',
  );
});

test('a member starts without waiting as long as no other one serves, or none would begin', () => {
  expect(plan('a', [member('a', stopped('a')), member('b', stopped('b')), member('c', 'silent')])).toEqual(['Start']);
});

test('a former member keeps its data beside, and one that serves another cluster is refused', () => {
  const others = [member('a', serving('a', 'ac')), member('c', serving('c', 'ac'))];
  expect(plan('b', [...others, member('b', stopped('b'))])[0]).toMatch('Keep the former data');
  expect(plan('b', [...others, member('b', stopped('b', `${ID}x`))])[0]).toMatch('Keep the former data');
  expect(() => plan('b', [...others, member('b', serving('b', 'b'))])).toThrow('it serves another cluster than a, c');
});

test('a member that was cut off goes on if the others list it, and begins again if they do not', () => {
  const cut: FoundMember = { data: { node: node('b') }, serves: false, list: [] };
  const others = (list: string) => [member('a', serving('a', list)), member('c', serving('c', list))];
  expect(plan('b', [...others('abc'), member('b', cut)])).toEqual(['Start', 'Add b to', 'Wait until b serves in']);
  expect(plan('b', [...others('ac'), member('b', cut)])).toEqual(JOIN);
  // Its node runs: another one has to be started all the same.
  expect(plan('b', [...others('ac'), member('b', cut)], [])).toEqual([
    'Create a node for',
    'Start rabbitmq-server',
    ...JOIN.slice(2),
  ]);
});

test('each restart waits until the others can do without the member', () => {
  const restart: Step = {
    title: 'Restart',
    service: { name: 'rabbitmq-server', state: 'running', enabled: true, change: 'restart' },
  };
  const all = [...'abc'].map((server) => member(server, serving(server)));
  const write: Step = { title: 'Write', run: 'x', undo: ':' };
  expect(plan('b', all, [write, restart])).toEqual([
    ...['Wait until can do without b', 'Write', 'Restart', 'Wait until b serves in', 'Account'],
  ]);
});

test('a member does not start with a cookie that those that serve do not have', () => {
  const others = (cookie: string) => [withCookie('a', cookie), withCookie('c', cookie)];
  expect(() => plan('b', [...others(''), member('b', stopped('b'))], [start], true)).toThrow('another cookie than a, c');
  expect(() => plan('b', [...others('k'), member('b'), member('d')], [start], true)).not.toThrow();
  expect(() => plan('b', [...others('former'), member('b')], [], true)).toThrow('another cookie than a, c');
  // It takes the cookie without a restart.
  expect(plan('b', [...others(''), member('b', serving('b'))], [], true)).toEqual(['Account']);
  expect(plan('b', [withCookie('a', '', stopped('a')), member('b', stopped('b'))], [start], true)).toEqual(['Start']);
});

test('a member that was cut off and serves with the others counts for the quorum', () => {
  const joined: FoundMember = { ...serving('b'), data: { node: node('b') }, joined: ID };
  expect(rabbitmqGroup.standing({ member: joined, cookie: '' })).toMatchObject({ group: ID, serves: true, voters: 3 });
  const alone: FoundMember = { data: { node: node('b') }, serves: true, list: [node('b')] };
  const { group, serves, voters } = rabbitmqGroup.standing({ member: alone, cookie: '' });
  expect({ group, serves, voters }).toEqual({ group: undefined, serves: false, voters: undefined });
});

test('members look each other up, so that a firewall lets them in', () => {
  expect(rabbitmq.uses?.(CONFIG)).toEqual(['epmd', 'rabbitmq-distribution']);
  expect(rabbitmq.uses?.(rabbitmqConfig.parse({}))).toEqual([]);
});

test('a node takes over no data of a node of another name', () => {
  const context = { host: { name: 'a' } } as never as PlanContext & HealthContext;
  const found = { otherData: true } as never;
  expect(() => rabbitmq.plan(CONFIG, found, context)).toThrow('it has data of a single server');
  const single = rabbitmqConfig.parse({});
  expect(() => rabbitmq.plan(single, found, context)).toThrow('it has data of a cluster');
});

test('a cluster needs users, a cookie and certificates, and only a cluster has them', () => {
  const { cluster: _, ...single } = CONFIG;
  const messages = (config: unknown) => rabbitmqConfig.safeParse(config).error?.issues.map(({ path }) => path.join('.'));
  expect(messages({ cluster: 'main' })).toEqual(['users', 'peerTls']);
  expect(messages(single)).toEqual(['cluster']);
});
