import { expect, test } from 'vitest';
import type { PlanContext, Step } from '../../sdk/index.js';
import type { FoundMember } from './mariadb-ask.js';
import type { MariadbConfig } from './mariadb-config.js';
import { joinsOthers, type MariadbMember, mariadbGroup, planMember } from './mariadb-group.js';

const CONFIG = { cluster: 'main', clusterPort: 4567 } as MariadbConfig;
const GROUP = '7291b672-ecca-11f1-8b38-a68ee54cb89b';
const OTHER = '8291b672-ecca-11f1-8b38-a68ee54cb89b';
const serves: FoundMember = { group: GROUP, runs: true, serves: true, size: 3 };
const stopped = (seqno?: number, more: Partial<FoundMember> = {}): FoundMember => ({
  ...{ group: GROUP, runs: false, serves: false, ...(seqno !== undefined && { seqno }) },
  ...more,
});
const empty: FoundMember = { runs: false, serves: false };

const seen = (server: string, member: FoundMember): MariadbMember => ({
  ...{ server, address: server, state: 'seen', found: { member }, standing: mariadbGroup.standing({ member }) },
});
const silent = (server: string): MariadbMember => ({ server, address: server, state: 'silent' });
const expected = (server: string, member?: FoundMember): MariadbMember => ({
  ...{ server, address: server, state: 'expected', ...(member && { found: { member } }) },
});
const contextOf = (server: string, members: MariadbMember[]) =>
  ({ host: { name: server }, group: { name: 'main', members } }) as never as PlanContext;

const start: Step = { title: 'Start mariadb', service: { name: 'mariadb', state: 'running', enabled: true } };
const restart: Step = {
  title: 'Restart mariadb',
  service: { name: 'mariadb', state: 'running', enabled: true, change: 'restart' },
};
const account: Step = { title: 'Create the account app', run: ':', undo: ':' };
const plan = (server: string, members: MariadbMember[], steps: Step[] = [start]) =>
  planMember(CONFIG, contextOf(server, members), steps);
const titles = (...input: Parameters<typeof plan>) => plan(...input).map(({ title }) => title);
const FOUNDS = 'Found the mariadb cluster main';
const waits = (server: string) => `Wait until ${server} serves in the mariadb cluster main`;

test('only the first member founds, once, and accounts come after it serves', () => {
  const all = [expected('a'), expected('b'), expected('c')];
  expect(titles('a', all, [start, account])).toEqual([FOUNDS, 'Start mariadb', waits('a'), 'Create the account app']);
  expect(titles('b', all)).toEqual(['Start mariadb', waits('b')]);
  expect(titles('b', [seen('a', serves), expected('b')])).toEqual(['Start mariadb', waits('b')]);
  // Another member founded it meanwhile, or the first one is new.
  expect(titles('a', [expected('a'), seen('b', serves)])).toEqual(['Start mariadb', waits('a')]);
});

test('a member without data founds nothing beside the data of others, whether they run or are silent', () => {
  expect(() => titles('a', [expected('a'), seen('b', stopped(7)), seen('c', stopped(9))])).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        code: 'quorum-lost',
        why: 'no member serves: the data is on b (last write 7), c (last write 9)',
        hint: expect.stringContaining('found the cluster again on c, which has the newest data'),
      }),
    }),
  );
  expect(() => titles('a', [expected('a'), silent('b'), expected('c')])).toThrow('b may have the cluster, and does not answer');
  expect(() => titles('a', [expected('a'), seen('b', { ...empty, databases: true })])).toThrow('b has databases');
});

test('a server that was single founds the cluster with its databases, or keeps them beside', () => {
  const single: FoundMember = { runs: true, serves: false, databases: true };
  expect(titles('a', [expected('a', single), expected('b')], [restart])).toEqual([FOUNDS, 'Restart mariadb', waits('a')]);
  expect(() => titles('a', [expected('a'), expected('b', single)])).toThrow('b has databases');
  const KEEPS = expect.stringContaining('Keep the former data');
  expect(titles('b', [seen('a', serves), expected('b', single)], [restart]).slice(0, 2)).toEqual(['Stop mariadb', KEEPS]);
});

test('after all members are down nothing is done, and the newest is named', () => {
  const down = [seen('a', stopped(7)), seen('b', stopped(12)), seen('c', stopped(9))];
  expect(() => titles('a', down)).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        why: 'no member serves: a (last write 7), b (last write 12), c (last write 9) have the data',
        hint: expect.stringContaining('on b, which has the newest data'),
      }),
    }),
  );
  const crashed = [seen('a', stopped(7)), seen('b', stopped()), seen('c', stopped(9))];
  expect(() => titles('a', crashed)).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        why: expect.stringContaining('b (its last write is not known)'),
        hint: expect.stringContaining('`systemctl start mariadb` on a, b, c at the same time'),
      }),
    }),
  );
});

const last = stopped(12, { safe: true });
const waiting = (seqno: number): FoundMember => ({ ...stopped(seqno), runs: true, waits: true });

test('the member that ended last founds the cluster again if all others say that they have nothing later', () => {
  const again = [seen('a', stopped(10)), seen('b', stopped(11)), seen('c', last)];
  expect(titles('c', again)).toEqual([FOUNDS, 'Start mariadb', waits('c')]);
  // Those that look for others answer on their port, and join.
  const [found] = plan('c', [seen('a', waiting(10)), seen('b', stopped(11)), seen('c', last)]) as (Step & { run: string })[];
  expect(found?.run).toContain(`printf '%s\\n' b:4567 >`);
});

test.each<[string, MariadbMember[]]>([
  ['one is silent', [silent('a'), seen('b', stopped(11))]],
  ['one has a later write', [seen('a', stopped(13)), seen('b', stopped(11))]],
  ['the last write of one is not known', [seen('a', stopped()), seen('b', stopped(11))]],
  ['another one ended last, too', [seen('a', stopped(11, { safe: true })), seen('b', stopped(11))]],
  ['one has the data of another cluster', [seen('a', { ...stopped(3), group: OTHER }), seen('b', stopped(11))]],
  ['one runs', [seen('a', { ...stopped(), runs: true }), seen('b', stopped(11))]],
])('the cluster is not founded again if %s', (_, others) => {
  let done: string[] = [];
  try {
    done = titles('c', [...others, seen('c', last)]);
  } catch (error) {
    expect((error as Error).message).toContain('no member serves');
  }
  expect(done).not.toContain(FOUNDS);
});

test('data of another cluster, or of a single server, is kept beside that of the cluster', () => {
  const KEEPS = expect.stringContaining('Keep the former data');
  const others = [seen('a', serves), seen('b', serves)];
  const foreign = { ...stopped(3), group: OTHER };
  expect(titles('c', [...others, seen('c', foreign)])).toContainEqual(KEEPS);
  expect(titles('c', [...others, seen('c', { ...empty, databases: true })])).toContainEqual(KEEPS);
  expect(titles('c', [...others, seen('c', stopped(3))])).not.toContainEqual(KEEPS);
  const partial = titles('c', [...others, seen('c', { ...empty, databases: true, partial: true })]);
  expect(partial[0]).toContain('Move the incomplete copy');
  // It starts again and again without an end.
  const loops = titles('c', [...others, seen('c', { ...empty, runs: true, waits: true, partial: true })], []);
  expect(loops.slice(1)).toEqual(['Start mariadb', waits('c')]);
  // It runs with foreign data, and its files are as planned.
  const runs = titles('c', [...others, seen('c', { ...foreign, runs: true })], []);
  expect(runs).toEqual([KEEPS, 'Start mariadb', waits('c')]);
  // It may be in the middle of it.
  const getting = { ...empty, runs: true, waits: true as const, databases: true as const, transfers: true as const };
  expect(titles('c', [...others, seen('c', getting)])).toEqual(['Start mariadb', waits('c')]);
});

test('before a restart a member looks whether another one serves; one that has all data founds again', () => {
  const all = [seen('a', serves), seen('b', serves), seen('c', serves)];
  expect(titles('b', all, [restart])).toEqual([
    ...['Check that the mariadb cluster main serves without b', 'Restart mariadb', waits('b')],
  ]);
  const lone = [seen('a', { ...serves, size: 1 }), expected('b'), expected('c')];
  expect(titles('a', lone, [restart])).toEqual([FOUNDS, 'Restart mariadb', waits('a')]);
  const others = [seen('a', { ...serves, size: 1 }), silent('b'), expected('c')];
  expect(titles('a', others, [restart])[0]).toContain('Check that');
});

test('a member that was taken out and runs on joins again, and one that gets its data is waited for', () => {
  const others = [seen('a', serves), seen('b', serves)];
  const out = { ...stopped(), runs: true, out: true as const };
  expect(titles('c', [...others, seen('c', out)], [])).toEqual(['Let c join the mariadb cluster main again', waits('c')]);
  expect(titles('c', [...others, seen('c', { ...stopped(), runs: true, state: 'Joiner' })], [])).toEqual([waits('c')]);
  expect(titles('c', [...others, seen('c', serves)], [])).toEqual([]);
});

test('who joins gets its accounts from the others: its roll-back drops none of theirs', () => {
  expect(joinsOthers(contextOf('b', [seen('a', serves), expected('b')]))).toBe(true);
  expect(joinsOthers(contextOf('b', [expected('a'), expected('b')]))).toBe(true);
  expect(joinsOthers(contextOf('a', [expected('a'), expected('b')]))).toBe(false);
  expect(joinsOthers(contextOf('a', [seen('a', serves), seen('b', serves)]))).toBe(false);
});

test('a member tells why it does not serve, and belongs by its data only', () => {
  expect(mariadbGroup.standing({ member: serves })).toEqual({ group: GROUP, serves: true, voters: 3 });
  expect(mariadbGroup.standing({ member: empty })).toEqual({ serves: false });
  expect(mariadbGroup.standing({ member: stopped(7) })).toEqual({
    ...{ group: GROUP, serves: false, why: 'mariadb does not run, its last write is 7' },
  });
});
