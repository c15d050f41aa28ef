import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ADMINISTER } from './rabbitmq-administer.js';
import { OWN } from './rabbitmq-places.js';

const folder = mkdtempSync(join(tmpdir(), 'rabbitmq-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Nodes as their tools see them. */
interface World {
  /** Nodes by the name of their server, as epmd tells them. */
  epmd: Record<string, string[]>;
  /** `in`: the number of its cluster. A node that is `deaf` never answers, and one that `fails` does not start. */
  nodes: Record<string, { in: number; app: boolean; deaf?: true; fails?: true }>;
  clusters: { name: string; list: string[]; id?: string }[];
  /** Replicas of each queue. One that is `stuck` loses and gets none. */
  queues: { at: string[]; stuck?: true }[];
  /** Servers that do not answer in time. */
  late?: string[];
  log: string[];
}

/** Puts the world into Python: its tools, its sockets, and a clock that only sleeping moves. */
const FAKES = `
import json, re, socket, subprocess, time
world = json.load(open('${folder}/world.json'))
now = [0]
def sleep(seconds): now[0] += seconds
time.sleep, time.monotonic = sleep, lambda: now[0]
class Epmd:
    def __init__(self, names): self.told = [b'\\\\0\\\\0\\\\x11\\\\x11' + ''.join('name %s at port 25672\\\\n' % one for one in names).encode(), b'']
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def settimeout(self, _): pass
    def sendall(self, _): pass
    def recv(self, _): return self.told.pop(0)
def connect(to, _):
    if to[0] in world.get('late', []): raise TimeoutError('timed out')
    if to[0] not in world['epmd']: raise ConnectionRefusedError('refused') if to[0] == 'a' else socket.gaierror('unknown')
    return Epmd(world['epmd'][to[0]])
socket.create_connection = connect
def running(number): return [one for one in world['clusters'][number]['list'] if world['nodes'].get(one, {}).get('app')]
def answer(tool, node, verb, *words):
    own = world['nodes'].get(node)
    if own is None or own.get('deaf'): return 69, 'Error: unable to perform an operation\\\\n * Erlang cookie hash: abc=='
    cluster = world['clusters'][own['in']]
    if verb == 'ping': return 0, ''
    if verb == 'cluster_status':
        if not own['app']: return 64, 'Error: the app does not run'
        return 0, json.dumps({'disk_nodes': cluster['list'], 'ram_nodes': [], 'running_nodes': running(own['in']), 'cluster_name': cluster['name']})
    if verb == 'list_global_parameters': return 0, json.dumps([{'name': 'internal_cluster_id', 'value': json.dumps(cluster.get('id', 'rabbitmq-cluster-id-1'))}])
    if verb == 'eval':
        lacks, one = re.search("(not )?lists:member\\\\('([^']*)', N\\\\)", words[0]).groups()
        return 0, '%d\\\\n' % sum((one in q['at']) != bool(lacks) for q in world['queues'])
    if verb == 'start_app' and own.get('fails'): return 69, 'Error: inconsistent cluster'
    if verb in ('stop_app', 'start_app'): own['app'] = verb == 'start_app'
    if verb == 'set_cluster_name': cluster['name'] = words[0]
    if verb == 'join_cluster':
        own['in'] = world['nodes'][words[0]]['in']
        world['clusters'][own['in']]['list'].append(node)
    if verb == 'forget_cluster_node':
        if words[0] in running(own['in']): return 69, 'Error: it runs'
        cluster['list'].remove(words[0])
    for queue in world['queues']:
        if queue.get('stuck'): continue
        if verb == 'shrink' and words[0] in queue['at']: queue['at'].remove(words[0])
        if verb == 'grow' and words[0] not in queue['at']: queue['at'].append(words[0])
    return 0, ''
def run(line, timeout=None, **_):
    tool, (quiet, option, node, *words) = line[0].split('/')[-1], line[1:]
    if words[0] not in ('cluster_status', 'eval', 'list_global_parameters', 'ping'): world['log'].append(' '.join([node.split('@')[1], *words]))
    code, told = answer(tool, node, *words)
    json.dump(world, open('${folder}/world.json', 'w'))
    return subprocess.CompletedProcess(line, code, told if code == 0 else '', told if code else '')
subprocess.run = run
`;
writeFileSync(join(folder, 'sitecustomize.py'), FAKES.replaceAll('\\\\', '\\'));

const [A, B, C] = ['rabbit-0000000a@a', 'rabbit-0000000b@b', 'rabbit-0000000c@c'];
const NEW = 'rabbit-000000ff@b';
const name = (node: string): string => node.split('@')[0] ?? '';

/** Three members of which b was lost and has another node, which serves for itself. */
const replacing = (): World => ({
  epmd: { a: [name(A)], b: [name(NEW)], c: [name(C)] },
  nodes: { [A]: { in: 0, app: true }, [C]: { in: 0, app: true }, [NEW]: { in: 1, app: true } },
  clusters: [
    { name: 'main', list: [A, B, C] },
    { name: NEW, list: [NEW] },
  ],
  queues: [{ at: [A, B, C] }, { at: [A, C] }],
  log: [],
});

const note = (file: string): string => join(folder, file);
function administer(world: World, own: string, ...words: string[]): { world: World; why: string } {
  writeFileSync(note('world.json'), JSON.stringify(world));
  writeFileSync(note('node'), `${own}\n`);
  const script = `runuser() { shift 3; "$@"; }\n${ADMINISTER.replaceAll(OWN, folder)}\nadminister "$@"`;
  const { status, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script, 'bash', ...words], {
    ...{ encoding: 'utf8', env: { ...process.env, PYTHONPATH: folder } },
  });
  return { world: JSON.parse(readFileSync(note('world.json'), 'utf8')) as World, why: status === 0 ? '' : stderr.trim() || '?' };
}
beforeEach(() => {
  for (const file of ['cluster', 'founding']) rmSync(note(file), { force: true });
});

test('a former node of its server loses its replicas and leaves before a new one joins', () => {
  const { world, why } = administer(replacing(), NEW, 'join', 'main', 'a', 'c');
  expect(why).toBe('');
  expect(world.log).toEqual([`a shrink ${B}`, `a forget_cluster_node ${B}`, 'b stop_app', `b join_cluster ${A}`, 'b start_app']);
  expect(world.clusters[0]?.list).toEqual([A, C, NEW]);
});

test('a former node with a replica that cannot be taken from it stays, and no new one joins', () => {
  const { world, why } = administer({ ...replacing(), queues: [{ at: [B], stuck: true }] }, NEW, 'join', 'main', 'a', 'c');
  expect(why).toContain('1 quorum queues keep their replica on b');
  expect(world.clusters[0]?.list).toEqual([A, B, C]);
});

test('another machine of the same name that serves is not taken out', () => {
  const begun = replacing();
  begun.nodes[B] = { in: 0, app: true };
  expect(administer(begun, NEW, 'join', 'main', 'a', 'c').why).toContain('another machine with the name b serves');
});

test('a node joins the cluster of its name, and not one that serves for itself', () => {
  const begun = replacing();
  const other = 'rabbit-00000011@a';
  Object.assign(begun.nodes, { [other]: { in: 2, app: true } });
  begun.clusters.push({ name: other, list: [other] });
  begun.epmd.a = [name(other), '$(reboot)', name(A)];
  expect(administer(begun, NEW, 'join', 'main', 'a', 'c').world.log).toContain(`b join_cluster ${A}`);
  delete begun.nodes[A];
  delete begun.epmd.c;
  expect(administer(begun, NEW, 'join', 'main', 'a', 'c').why).toContain('no other member answers that serves');
});

test('a node with a name of another form is not worked on', () => {
  const begun = replacing();
  begun.clusters[0]?.list.push("rabbit@x'); reboot");
  const { world, why } = administer(begun, NEW, 'join', 'main', 'a', 'c');
  expect(why).toContain('a name of another form');
  expect(world.log).toEqual([]);
});

test('a cut off join goes on, and leaves no entry if it cannot', () => {
  const begun = replacing();
  begun.clusters[0]?.list.splice(1, 1, NEW);
  Object.assign(begun.nodes, { [NEW]: { in: 0, app: false } });
  expect(administer(begun, NEW, 'join', 'main', 'a', 'c').world.log).toEqual(['b start_app']);
  Object.assign(begun.nodes, { [NEW]: { in: 0, app: false, fails: true } });
  const { world, why } = administer(begun, NEW, 'join', 'main', 'a', 'c');
  expect(why).toContain('rabbitmqctl start_app: Error: inconsistent cluster');
  expect(world.clusters[0]?.list).toEqual([A, C]);
});

test('no second cluster is founded beside one that serves', () => {
  expect(administer(replacing(), '', 'alone', 'main', 'a', 'c').why).toContain('a serves the cluster');
  expect(administer({ ...replacing(), epmd: {} }, '', 'alone', 'main', 'a', 'c').why).toBe('');
  // What is there and does not answer may have it.
  const late = { ...replacing(), epmd: {}, late: ['c'] };
  expect(administer(late, '', 'alone', 'main', 'a', 'c').why).toBe('c does not tell which nodes it has: timed out');
  const deaf = { ...replacing(), nodes: { [C]: { in: 0, app: true, deaf: true as const } }, epmd: { c: [name(C)] } };
  expect(administer(deaf, '', 'alone', 'main', 'a', 'c').why).toContain('rabbitmqctl cluster_status');
});

test('a member that leaves is stopped first, and only if the others are a majority without it', () => {
  const begun = replacing();
  begun.nodes[B] = { in: 0, app: true };
  expect(administer(begun, A, 'remove', 'b').world.log).toEqual([
    ...[`a shrink ${B}`, 'b stop_app', `a shrink ${B}`, `a forget_cluster_node ${B}`],
  ]);
  const few = replacing();
  few.clusters[0]?.list.push('rabbit-0000000d@d', 'rabbit-0000000e@e');
  Object.assign(few.nodes, { [B]: { in: 0, app: true } });
  expect(administer(few, A, 'remove', 'b').why).toContain('without b no majority of the others serves');
});

test('a member that does not serve removes none, and an answer that does not come is none', () => {
  const alone = replacing();
  delete alone.nodes[C];
  expect(administer(alone, A, 'remove', 'b').why).toContain('a does not serve');
  const deaf = replacing();
  Object.assign(deaf.nodes, { [A]: { in: 0, app: true, deaf: true } });
  const { world, why } = administer(deaf, A, 'remove', 'b');
  expect([why, world.log]).toEqual(['rabbitmqctl cluster_status: Error: unable to perform an operation', []]);
});

test('a member notes its cluster once it has its replicas', () => {
  const joined = replacing();
  joined.clusters[0]?.list.splice(1, 1, NEW);
  Object.assign(joined.nodes, { [NEW]: { in: 0, app: true } });
  const stuck = { ...joined, queues: [{ at: [A], stuck: true as const }] };
  expect(administer(stuck, NEW, 'belong', 'main').why).toContain('1 quorum queues have no replica on it yet');
  expect(existsSync(note('cluster'))).toBe(false);
  expect(administer(joined, NEW, 'belong', 'main').world.queues).toEqual([{ at: [A, B, C, NEW] }, { at: [A, C, NEW] }]);
  expect(readFileSync(note('cluster'), 'utf8')).toBe('rabbitmq-cluster-id-1\n');
});

test('only a node that founds gives the cluster its name, and no identity of another form is noted', () => {
  expect(administer(replacing(), NEW, 'belong', 'main').why).toContain(`it belongs to the cluster "${NEW}"`);
  writeFileSync(note('founding'), '');
  const hostile = replacing();
  Object.assign(hostile.clusters[1] ?? {}, { id: '$(reboot)' });
  expect(administer(hostile, NEW, 'belong', 'main').why).toContain('has another form');
  expect(administer(replacing(), NEW, 'belong', 'main').world.clusters[1]?.name).toBe('main');
  expect(existsSync(note('founding'))).toBe(false);
  writeFileSync(note('cluster'), 'rabbitmq-cluster-id-2\n');
  expect(administer(replacing(), A, 'belong', 'main').why).toContain('its data is that of another cluster');
});

test('a member waits until a majority serves without it', () => {
  const whole = replacing();
  whole.clusters[0]?.list.splice(1, 1);
  whole.clusters[0]?.list.push(NEW);
  Object.assign(whole.nodes, { [NEW]: { in: 0, app: true } });
  expect(administer(whole, A, 'spare').world.log).toEqual(['a await_online_quorum_plus_one -t 60']);
  expect(administer(replacing(), A, 'spare').why).toContain('without it no majority of the members serves');
});
