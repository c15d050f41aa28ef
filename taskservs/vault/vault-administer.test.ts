import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ADMINISTER } from './vault-administer.js';

const folder = mkdtempSync(join(tmpdir(), 'vault-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A member as it tells itself. */
interface Told {
  sealed?: boolean;
  initialized?: boolean;
  leads?: boolean;
  /** Server that it takes for the leader; empty for none. */
  leader?: string;
  applied?: number;
}

/** Vault as each of its members tells it, by the names of their servers. Others do not answer. */
interface World {
  members: Record<string, Told>;
  /** Ids with a vote, and those without. */
  voters: string[];
  others?: string[];
  tolerance?: number;
  /** Status with which the list of members is refused. */
  refuses?: number;
  /** Seconds from which on there is another state. */
  later?: { at: number } & Partial<Omit<World, 'later'>>;
}

/** Puts the world into the program: its answers, and a clock that only sleeping moves. */
const FAKES = `
import types
world = json.load(open('${folder}/world.json'))
now, log = [0], []
def sleep(seconds):
    now[0] += seconds
    if 'later' in world and now[0] >= world['later']['at']: world.update(world['later'])
time = types.SimpleNamespace(sleep=sleep, monotonic=lambda: now[0])
os.environ['VAULT_TOKEN'] = 't'
def ask(at, path, method='GET', body=None, timeout=10, by_token=True):
    name = at[1]
    if name not in world['members']: raise ConnectionRefusedError('refused')
    its = world['members'][name]
    if path == 'seal-status': return {'initialized': its.get('initialized', True), 'sealed': its.get('sealed', False)}
    if its.get('sealed'): raise Refused(503, 'Vault is sealed')
    leader = its.get('leader', 'a')
    if path == 'leader': return {'is_self': its.get('leads', False), 'leader_address': leader and 'https://%s:8200' % leader, 'raft_applied_index': its.get('applied', 7), 'raft_committed_index': 7}
    if method != 'GET': log.append('%s %s' % (path, body))
    if world.get('refuses'): raise Refused(world['refuses'], 'permission denied')
    if path == 'storage/raft/configuration':
        voters, others = world['voters'], world.get('others', [])
        return {'data': {'config': {'servers': [{'node_id': one, 'voter': one in voters} for one in voters + others]}}}
    if path == 'storage/raft/autopilot/state': return {'data': {'voters': world['voters'], 'failure_tolerance': world.get('tolerance', 1), 'servers': {'c-3': {'healthy': world.get('tolerance', 1) > 0}}}}
    if path == 'storage/raft/remove-peer': world['voters'] = [one for one in world['voters'] if one != body['server_id']]
    return {}
import atexit
atexit.register(lambda: json.dump({'seconds': now[0], 'log': log}, open('${folder}/told.json', 'w')))
`;
writeFileSync(join(folder, 'fakes.py'), FAKES);
writeFileSync(
  join(folder, 'run.py'),
  `import sys
program = sys.argv[2]
begin = 'verb, rest = sys.argv[1]'
assert program.count(begin) == 1
sys.argv = ['-c', *sys.argv[3:]]
exec(program.replace(begin, open('${folder}/fakes.py').read() + begin))
`,
);

function administer(world: World, ...words: string[]): { why: string; seconds: number; log: string[]; said: string } {
  writeFileSync(join(folder, 'world.json'), JSON.stringify(world));
  const script = `python3() { command python3 ${folder}/run.py "$@"; }\n${ADMINISTER}\nadminister "$@"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script, 'bash', ...words], { encoding: 'utf8' });
  const told = JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8')) as { seconds: number; log: string[] };
  return { why: status === 0 ? '' : stderr.trim() || '?', said: stdout.trim(), ...told };
}

const ALL = { voters: ['a-1', 'b-2', 'c-3'], members: { a: { leads: true }, b: {}, c: {} } };
const ready = (world: World, seconds = '600') => administer(world, 'ready', 'b:8200', 'b', 'b-2', seconds);

test('a sealed member is waited for as long as the person has time, and the error says what to do', () => {
  const sealed = { ...ALL, members: { ...ALL.members, b: { sealed: true } } };
  const { why, seconds } = ready(sealed);
  expect(why).toBe('it is sealed: unseal it with "vault operator unseal" on b, then apply again');
  expect(seconds).toBe(601);
  // It then has time to agree with the others.
  const late = { ...sealed, later: { at: 590, members: { ...ALL.members, b: { leader: '' } } } };
  expect(ready(late)).toMatchObject({ why: expect.stringContaining('no majority agrees with it') });
  expect(ready(late).seconds).toBeGreaterThan(690);
  expect(ready({ ...sealed, later: { at: 590, members: ALL.members } })).toMatchObject({ why: '', seconds: 590 });
});

test('an unsealed member is ready once it has its vote and what the leader had', () => {
  expect(ready(ALL)).toMatchObject({ why: '', seconds: 0 });
  const without = { ...ALL, voters: ['a-1', 'c-3'], others: ['b-2'] };
  expect(ready(without).why).toContain('it has no vote yet');
  expect(ready({ ...without, later: { at: 15, voters: ALL.voters, others: [] } })).toMatchObject({ why: '', seconds: 15 });
  expect(ready({ ...ALL, voters: ['a-1', 'c-3'] }).why).toContain('it is not in the list of members');
  const behind = { ...ALL, members: { ...ALL.members, b: { applied: 3 } } };
  expect(ready(behind).why).toContain('it has 3 of 7 changes');
  expect(ready({ ...behind, later: { at: 9, members: ALL.members } })).toMatchObject({ why: '', seconds: 9 });
});

test('a token without the right fails at once, and only the answer that says so counts as this', () => {
  expect(ready({ ...ALL, refuses: 403 })).toMatchObject({ seconds: 0, why: expect.stringContaining('see "token"') });
  expect(ready({ ...ALL, refuses: 503, later: { at: 20, refuses: 0 } })).toMatchObject({ why: '', seconds: 20 });
});

test('a member is spared only while the others are healthy, and one that is sealed serves no client', () => {
  const spare = (world: World) => administer(world, 'spare', 'b:8200', 'b', 'b-2');
  expect(spare(ALL)).toMatchObject({ why: '', seconds: 0 });
  expect(spare({ ...ALL, tolerance: 0 }).why).toContain('no member to spare: c-3 does not follow the leader closely');
  expect(spare({ ...ALL, tolerance: 0, later: { at: 30, tolerance: 1 } })).toMatchObject({ why: '', seconds: 30 });
  expect(spare({ ...ALL, tolerance: 0, members: { b: { sealed: true } } }).why).toBe('');
  expect(spare({ ...ALL, tolerance: 0, members: {} }).why).toBe('');
});

test('the lead is handed over once, and another member has to lead then', () => {
  const hand = (world: World, name = 'a') => administer(world, 'handover', `${name}:8200`, name);
  expect(hand(ALL, 'b')).toMatchObject({ why: '', log: [] });
  const moves = { at: 1, members: { a: { leader: 'b' }, b: { leads: true } } };
  expect(hand({ ...ALL, later: moves })).toMatchObject({ why: '', log: ['step-down None'] });
  expect(hand({ ...ALL, later: { at: 1, members: { a: { leader: '' } } } }).why).toContain('no other member leads yet');
  expect(hand({ ...ALL, voters: ['a-1'] })).toMatchObject({ why: '', log: [] });
});

test('a former machine of a server leaves before the new one joins, and no other member does', () => {
  const admit = (world: World) => administer(world, 'admit', 'b', 'none', 'a:8200', 'c:8200');
  expect(admit(ALL)).toMatchObject({ why: '', log: ["storage/raft/remove-peer {'server_id': 'b-2'}"] });
  expect(admit({ ...ALL, voters: ['a-1', 'bb-2', 'a-b-2'] })).toMatchObject({ why: '', log: [] });
  expect(admit({ ...ALL, members: { a: { sealed: true }, c: { leader: '' } } }).why).toContain('no other member serves');
});

test('a member is removed by its server, and the last one is not', () => {
  const remove = (world: World) => administer(world, 'remove', 'a:8200', 'a', 'c');
  expect(remove(ALL)).toMatchObject({ why: '', log: ["storage/raft/remove-peer {'server_id': 'c-3'}"] });
  expect(remove({ ...ALL, voters: ['c-3'] }).why).toContain('it is the only member');
  expect(administer(ALL, 'listed', 'b-2', 'a:8200').said).toBe('listed');
  expect(administer(ALL, 'listed', 'b-9', 'a:8200').said).toBe('gone');
});

test('health fails for a sealed member and without a majority, not before the initialization', () => {
  const health = (b: Told) => administer({ ...ALL, members: { b } }, 'health', 'b:8200', 'b');
  expect(health({}).said).toBe('ready');
  expect(health({ initialized: false }).said).toContain('ready to be initialized');
  expect(health({ sealed: true }).why).toBe('sealed: unseal it with "vault operator unseal" on b');
  expect(health({ leader: '' }).why).toBe('no majority agrees with it');
});
