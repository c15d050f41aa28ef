import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ADMINISTER } from './kafka-administer.js';
import { DATA } from './kafka-places.js';

const folder = mkdtempSync(join(tmpdir(), 'kafka-'));
afterAll(() => rmSync(folder, { recursive: true }));
const data = join(folder, 'data');

/** A partition: its copies, which of them have everything, and the second at which all have. */
interface Partition {
  replicas: number[];
  synced: number[];
  done?: number;
}

/** Kafka as each of its members tells it, by its numbers. Number 1 leads. */
interface World {
  brokers: number[];
  voters: number[];
  parts: Partition[];
  /** Voters that are not up to date. */
  behind?: number[];
  /** Why an address does not answer. Others answer. */
  down?: Record<string, 'refused' | 'late' | 'unknown'>;
  /** Seconds from which on there is another state. */
  later?: { at: number; brokers?: number[]; voters?: number[]; down?: World['down'] };
  /** Seconds for which bytes arrive on this host. */
  arrives?: number;
  /** Seconds that a moved partition takes. */
  moves?: number;
  log?: string[];
}

/** Puts the world into the program: its members, its unit, and a clock that only sleeping moves. */
const FAKES = `
import json, os, socket, sys, types
world = json.load(open('${folder}/world.json'))
now, log = [0], []
def sleep(seconds):
    now[0] += seconds
    if 'later' in world and now[0] >= world['later']['at']: world.update(world['later'])
    if now[0] <= world.get('arrives', 0): open('${data}/t-0/1.log', 'a').write('x')
time = types.SimpleNamespace(sleep=sleep, monotonic=lambda: now[0])
def check(at):
    why = world.get('down', {}).get(at)
    if why: raise {'refused': ConnectionRefusedError, 'late': TimeoutError, 'unknown': socket.gaierror}[why](why)
class Fake:
    def close(self): pass
    def quorum(self): return 1, [(one, 'place-%d' % one, 0, now[0] * 1000 + (0 if one in world.get('behind', []) else 10**6)) for one in world['voters']], []
    def metadata(self, topics=True):
        for one in world['parts']:
            if now[0] >= one.get('done', 1e9): one['replicas'] = one['synced'] = one.pop('to', one['replicas'])
        return world['brokers'], 'c' * 22, [('t', index, 0, one['synced'][0], one['replicas'], one['synced']) for index, one in enumerate(world['parts'])]
    def moving(self): return [('t', index, list(set(one['replicas']) - set(one['to']))) for index, one in enumerate(world['parts']) if 'to' in one]
    def reassign(self, wanted):
        log.append('reassign %s' % wanted)
        for _, index, to in wanted:
            one = world['parts'][index]
            one.update(to=to, replicas=one['replicas'] + [new for new in to if new not in one['replicas']], done=now[0] + world.get('moves', 1))
    def remove(self, cluster, node, place):
        log.append('remove %d %s' % (node, place))
        world['voters'].remove(node)
    def set_default(self, name, value): log.append('%s=%s' % (name, value))
    def unregister(self, node): log.append('unregister %d' % node)
def connect(at, timeout=5):
    check(at)
    return Fake()
socket.create_connection = lambda to, *_: check('%s:%d' % to) or types.SimpleNamespace(close=lambda: None)
subprocess.run = lambda *_, **__: types.SimpleNamespace(stdout=b'ActiveState=active\\nNRestarts=0\\n')
import atexit
atexit.register(lambda: json.dump({'seconds': now[0], 'log': log}, open('${folder}/told.json', 'w')))
`;
writeFileSync(join(folder, 'fakes.py'), FAKES);
const RUN = `import sys
program = sys.argv[2]
begin = 'tls, verb = sys.argv[1]'
assert program.count(begin) == 1
sys.argv = ['-c', *sys.argv[3:]]
exec(program.replace(begin, open('${folder}/fakes.py').read() + begin))
`;
writeFileSync(join(folder, 'run.py'), RUN);

function administer(world: World, ...words: string[]): { why: string; seconds: number; log: string[]; status: number | null } {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(join(data, 't-0'), { recursive: true });
  writeFileSync(join(folder, 'world.json'), JSON.stringify(world));
  const script = `python3() { command python3 ${folder}/run.py "$@"; }\n${ADMINISTER.replaceAll(DATA, data)}\nadminister plain "$@"`;
  const { status, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script, 'bash', ...words], { encoding: 'utf8' });
  const told = JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8')) as { seconds: number; log: string[] };
  return { why: status === 0 ? '' : stderr.trim() || '?', status, ...told };
}

const ALL = { brokers: [1, 2, 3], voters: [1, 2, 3] };

test('a member that copies one large partition is ready once it has it, and one that gets no byte is not waited for', () => {
  const parts = [{ replicas: [1, 2], synced: [1], done: 600 }];
  const ready = (arrives: number) => administer({ ...ALL, parts, arrives }, 'ready', 'own:1', '2', '2', 'a:1');
  expect(ready(600)).toMatchObject({ why: '', seconds: 600, log: ['min.insync.replicas=2'] });
  const { why, seconds } = ready(200);
  expect(why).toContain('it does not have all of 1 partitions yet, such as t-0');
  expect(seconds).toBeLessThan(300);
});

test('a member restarts after the others have copied what they lack, however long that takes', () => {
  const parts = [{ replicas: [1, 2], synced: [1], done: 600 }];
  expect(administer({ ...ALL, parts }, 'spare', '1', 'own:1')).toMatchObject({ why: '', seconds: 600 });
  const { why, seconds } = administer({ ...ALL, parts, later: { at: 30, brokers: [1, 3] } }, 'spare', '1', 'own:1');
  expect(why).toContain('replicas of 1 partitions are behind');
  expect(seconds).toBeLessThan(130);
});

test('a member restarts without a majority only if it does not listen', () => {
  const spare = (down: World['down']) => administer({ ...ALL, parts: [], ...(down && { down }) }, 'spare', '1', 'own:1', 'a:1');
  expect(spare({ 'own:1': 'refused', 'a:1': 'late' })).toMatchObject({ why: '', seconds: 0 });
  expect(spare({ 'own:1': 'late', 'a:1': 'late' }).why).toContain('no member answers that a majority agrees with');
});

test('a member that leaves waits for the copies on others as long as these run', () => {
  const parts = [{ replicas: [1, 3], synced: [1, 3] }];
  const leaves = (more: Partial<World> = {}) => administer({ ...ALL, parts, moves: 600, ...more }, 'remove', 'own:1', '3');
  const { why, seconds, log } = leaves();
  expect([why, log]).toEqual(['', ["reassign [('t', 0, [1, 2])]", 'remove 3 place-3']]);
  expect(seconds).toBeGreaterThan(600);
  expect(leaves({ later: { at: 30, brokers: [1, 3] } }).seconds).toBeLessThan(130);
  // It ends before the platform does not wait any longer.
  expect(leaves({ moves: 9_999 }).seconds).toBeLessThan(2_760);
});

test('a cluster is founded only if each other member is known not to be there', () => {
  const alone = (down: World['down'], voters = [1]) =>
    administer({ ...ALL, voters, parts: [], ...(down && { down }) }, 'alone', 'a:1', 'b:1');
  expect(alone({ 'a:1': 'refused', 'b:1': 'unknown' })).toMatchObject({ why: '', seconds: 0 });
  expect(alone({ 'a:1': 'refused' }).why).toContain('it has been founded in the meantime');
  const late = alone({ 'a:1': 'late', 'b:1': 'refused' });
  expect([late.why, late.status]).toEqual(['late', 1]);
  expect(late.seconds).toBeGreaterThan(25);
  expect(late.seconds).toBeLessThan(60);
});

test('a vote is taken by another member if this one does not run, and one that may not be taken is no success', () => {
  const down = { 'own:1': 'refused' } as const;
  const { why, log } = administer({ ...ALL, parts: [], down }, 'unvote', '3', 'place-3', 'own:1', 'a:1');
  expect([why, log]).toEqual(['', ['remove 3 place-3']]);
  expect(administer({ ...ALL, voters: [1, 2], parts: [], down }, 'unvote', '3', 'place-3', 'own:1', 'a:1').log).toEqual([]);
  const few = administer({ ...ALL, parts: [], behind: [2] }, 'unvote', '3', 'place-3', 'own:1');
  expect([few.status, few.log]).toEqual([1, []]);
});

test('a machine is not replaced while a partition is only there', () => {
  const copied = (part: Partition) => administer({ ...ALL, parts: [part] }, 'copied', 'own:1', '3');
  expect(copied({ replicas: [3, 1], synced: [3, 1] }).why).toBe('');
  expect(copied({ replicas: [3], synced: [3] })).toMatchObject({
    ...{ why: 'the only copy of t-0 is on the machine that goes: move or copy t-0 first', seconds: 0 },
  });
  expect(copied({ replicas: [3, 1], synced: [3], done: 600 })).toMatchObject({ why: '', seconds: 600 });
});
