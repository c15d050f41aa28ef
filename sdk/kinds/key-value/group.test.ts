import { expect, test } from 'vitest';
import type { Step } from '../../../core/host/step.js';
import type { PlanContext } from '../../../core/taskserv/taskserv.js';
import type { FoundMember } from './ask.js';
import type { KeyValueConfig } from './conf.js';
import { createGroup, planMember } from './group.js';
import { createPlaces } from './places.js';
import type { KeyValueMember } from './steps.js';

const PLACES = createPlaces('redis');
const GROUP = createGroup(PLACES);
const CONFIG = { cluster: 'main', port: 6379, sentinelPort: 26379, password: { $secret: 'p' } } as KeyValueConfig;
const ID = '0123456789abcdef';
const view = { primary: 'a', voters: 3, usable: 3, members: ['a', 'b', 'c'] };
const known = { group: ID, noted: ID, data: true, knows: true, runs: true };
const leads: FoundMember = { ...known, role: 'primary', view, name: 'a' };
const follows: FoundMember = { ...known, role: 'replica', follows: 'a', linked: true, view };
const stopped: FoundMember = { ...known, runs: false };
const empty: FoundMember = { data: false, knows: false, runs: false };
const seen = (server: string, member: FoundMember): KeyValueMember => ({
  ...{ server, address: server, machine: `${server}-1`, state: 'seen', standing: GROUP.standing({ member }), found: { member } },
});
const expected = (server: string, member?: FoundMember): KeyValueMember => ({
  ...{ server, address: server, state: 'expected', ...(member && { found: { member } }) },
});
const silent = (server: string): KeyValueMember => ({ server, address: server, state: 'silent' });
const START: Step = { title: 'Start redis-server', service: { name: 'redis-server', state: 'running', enabled: true } };
const titles = (server: string, members: KeyValueMember[], steps: Step[] = [START]) =>
  planMember(PLACES, CONFIG, { host: { name: server }, group: { name: 'main', members } } as never as PlanContext, steps).map(
    ({ title }) => title.replace(/ (of )?redis.*| of the .*| in the .*/, ''),
  );

test('the first member founds a group only if nothing is known of one', () => {
  expect(titles('a', [seen('a', empty), expected('b'), expected('c')])[0]).toBe('Found the');
  expect(() => titles('a', [seen('a', empty), silent('b'), expected('c')])).toThrow(/b may have the cluster/);
  expect(() => titles('a', [seen('a', empty), seen('b', stopped), expected('c')])).toThrow(/b has data/);
  expect(titles('b', [expected('a'), seen('b', empty)])[0]).toBe('Add b to the');
});

test('a cluster is founded again with its data only if that is on one member, and no other one knows a primary', () => {
  const left = { ...stopped, knows: false };
  expect(titles('a', [seen('a', left), expected('b')]).slice(0, 2)).toEqual(['Let', 'Found the']);
  expect(titles('b', [seen('a', empty), seen('b', left), expected('c')])[1]).toBe('Found the');
  expect(titles('a', [seen('a', empty), seen('b', left), expected('c')])[0]).toBe('Add a to the');
  expect(() => titles('a', [seen('a', left), seen('b', left)])).toThrow(/a, b has data/);
  expect(() => titles('a', [seen('a', left), seen('b', { ...empty, knows: true })])).toThrow(/a has data/);
  expect(() => titles('a', [seen('a', left), silent('b')])).toThrow(/b may have the cluster/);
});

test('a member without data founds nothing beside the data of a single server', () => {
  const single: FoundMember = { data: true, knows: false, runs: true };
  expect(() => titles('a', [expected('a'), expected('b', single)])).toThrow(/b has data/);
});

test('a server that was single founds the group with its data, and joins one without it', () => {
  const single: FoundMember = { data: true, knows: false, runs: true, role: 'primary' };
  expect(titles('a', [expected('a', single), expected('b'), expected('c')]).slice(0, 2)).toEqual(['Let', 'Found the']);
  expect(titles('a', [expected('a', { ...single, runs: false }), expected('b')])[0]).toBe('Let');
  expect(titles('c', [seen('a', leads), seen('b', follows), expected('c', single)])).toEqual([
    ...['Stop', 'Keep the former data', 'Add c to the', 'Start', 'Start', 'Wait until c serves'],
  ]);
});

test('a host with data of its own joins without it, unless it is listed', () => {
  const two = { ...view, voters: 2, usable: 2, members: ['a', 'b'] };
  const others = (now: typeof view) => [seen('a', { ...leads, view: now }), seen('b', { ...follows, view: now })];
  expect(titles('c', [...others(two), seen('c', stopped)])).toEqual([
    ...['Stop', 'Keep the former data', 'Add c to the', 'Start', 'Start', 'Wait until c serves'],
  ]);
  expect(titles('c', [...others(view), seen('c', { ...stopped, group: 'fedcba9876543210' })])[1]).toBe('Keep the former data');
  expect(titles('c', [...others(view), seen('c', stopped)])).toEqual(['Start', 'Wait until c serves']);
  expect(titles('c', [...others(view), seen('c', { data: true, knows: false, runs: false })])[1]).toBe('Keep the former data');
});

test('a member that is to restart hands over, whoever is seen to lead', () => {
  const restart: Step = { ...START, service: { ...START.service, change: 'restart' } } as Step;
  const members = [seen('a', leads), seen('b', follows), seen('c', follows)];
  for (const server of ['a', 'b']) expect(titles(server, members, [restart])[0]).toBe('Hand over the lead');
  expect(titles('b', members, [])).toEqual([]);
});

test('a member serves if the majority that its sentinel reaches agrees with its server', () => {
  const judge = (member: FoundMember) => GROUP.standing({ member });
  expect(judge(leads)).toEqual({ group: ID, serves: true, leads: true, voters: 3 });
  expect(judge(follows)).toEqual({ group: ID, serves: true, voters: 3 });
  expect(judge({ ...leads, view: { ...view, usable: 1 } })).toMatchObject({
    serves: false,
    why: expect.stringContaining('no majority'),
  });
  // A former primary that was not told yet.
  expect(judge({ ...leads, view: { ...view, primary: 'b' } })).toMatchObject({ serves: false, why: 'it does not follow b yet' });
  expect(judge({ ...follows, linked: false })).toMatchObject({ serves: false });
  expect(judge(stopped)).toEqual({ group: ID, serves: false, why: 'its server does not run' });
  expect(judge(empty)).toEqual({ serves: false });
});

test('the others forget a member that goes for good, and not one whose machine is replaced', () => {
  const run = (servers: string[]) => {
    const members = servers.map((server) => seen(server, server === 'a' ? leads : follows));
    const [step] = GROUP.leave?.(CONFIG, seen('c', follows), { name: 'main', members }) ?? [];
    return step && 'run' in step ? step.run : '';
  };
  expect(run(['a', 'b'])).toMatch(/then forget "\$each"/);
  expect(run(['a', 'b', 'c'])).not.toMatch(/then forget "\$each"/);
  expect(run(['a', 'b', 'c'])).toMatch(/OTHERS=\(a b\)/);
});
