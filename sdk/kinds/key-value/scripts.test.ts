import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Step } from '../../../core/host/step.js';
import type { KeyValueConfig } from './conf.js';
import { memberProgram } from './member-program.js';
import { createPlaces } from './places.js';
import { createFounding, handOverStep, joinStep, type Place, waitStep } from './steps.js';

const PLACES = createPlaces('redis');
const CONFIG = { cluster: 'main', port: 6379, sentinelPort: 26379, password: { $secret: 'p' } } as KeyValueConfig;
const PLACE: Place = { places: PLACES, config: CONFIG, cluster: 'main', server: 'a', others: ['b', 'c'] };

/** What a redis or a sentinel of a host answers, by its port and the command: the lines of a shell's `case`. */
type Answers = Record<string, string>;

/** Plays a step. Each call of the client is noted: `HOST:PORT COMMAND`. */
function play(step: Step, answers: Answers, world = ''): { ended: string; said: string; calls: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'provisioning-members-'));
  try {
    const cases = Object.entries(answers).map(([call, answer]) => `'${call}') ${answer} ;;`);
    const script = `cd ${folder}; : >calls
unset RANDOM; RANDOM=0
seq() { command seq 1 5; }; sleep() { SECONDS=$((SECONDS + 1)); }; setsid() { :; }
systemctl() { return 0; }
setpriv() { while [ "$1" != -- ]; do shift; done; shift; "$@"; }
timeout() {
  shift 2
  local host port
  while :; do case "$1" in -h) host=$2; shift 2 ;; -p) port=$2; shift 2 ;; -*) shift ;; *) break ;; esac; done
  echo "$host:$port $*" >>calls
  case "$host:$port $*" in
    ${cases.join('\n    ')}
    *'config get min-replicas-to-write') printf '%s\\n' min-replicas-to-write 1000 ;;
    *) return 1 ;;
  esac
}
${world}
( set -euo pipefail
${(step as { run: string }).run.replaceAll(PLACES.state, `${folder}/state`)}
)
if [ $? = 0 ]; then echo ended well; else echo ended badly; fi`;
    const lines = execFileSync('bash', ['-uo', 'pipefail', '-c', script], { encoding: 'utf8' }).trim().split('\n');
    const calls = execFileSync('cat', [join(folder, 'calls')], { encoding: 'utf8' })
      .trim()
      .split('\n');
    return { ended: lines.at(-1) ?? '', said: lines.slice(0, -1).join('\n'), calls };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sentinel = (ip: string, more = '') =>
  `printf '%s\\n' ip ${ip} flags master config-epoch ${more || 1} num-slaves 2 num-other-sentinels 2`;
const MASTER = 'sentinel master main';
const replication = (offsets: readonly number[]) =>
  `printf '%s\\n' role:master ${offsets.map((offset, index) => `slave${index}:ip=x,port=6379,state=online,offset=${offset},lag=0`).join(' ')} master_repl_offset:100`;
const HOLD = '127.0.0.1:6379 config set min-replicas-to-write 1000';
const RELEASE = '127.0.0.1:6379 config set min-replicas-to-write 1';
const FAILOVER = '127.0.0.1:26379 sentinel failover main';
const INFO = '127.0.0.1:6379 info replication';
/** The sentinel of this host, before and after it was told to choose another primary. */
const CHANGES = `if grep -q failover calls; then ${sentinel('b')}; else ${sentinel('a')}; fi`;

test('a primary takes no more writes before another one leads, and all replicas have what it has', () => {
  const { ended, calls } = play(handOverStep(PLACE), {
    ...{ [`127.0.0.1:26379 ${MASTER}`]: CHANGES, [HOLD]: 'echo OK', [INFO]: replication([100, 120]), [FAILOVER]: 'echo OK' },
    'b:6379 info replication': 'echo role:master',
  });
  expect(ended).toBe('ended well');
  const order = [HOLD, INFO, FAILOVER].map((call) => calls.lastIndexOf(call));
  expect(order).toEqual([...order].sort((one, other) => one - other));
  expect(order).not.toContain(-1);
  // What it took from then on would be lost.
  expect(calls).not.toContain(RELEASE);
});

test('one whose replicas do not get what it has stays, and takes writes again', () => {
  const answers = { [`127.0.0.1:26379 ${MASTER}`]: sentinel('a'), [HOLD]: 'echo OK', [FAILOVER]: 'echo OK' };
  const behind = play(handOverStep(PLACE), { ...answers, [INFO]: replication([100, 99]) });
  expect(behind).toMatchObject({ ended: 'ended badly', said: 'not all replicas of a have what it has' });
  expect(behind.calls).not.toContain(FAILOVER);
  expect(behind.calls.at(-1)).toBe(RELEASE);
  const none = play(handOverStep(PLACE), { ...answers, [INFO]: replication([]) });
  expect(none).toMatchObject({ ended: 'ended badly', said: 'no replica has the data of a' });
  expect(none.calls).not.toContain(HOLD);
  const stays = play(handOverStep(PLACE), { ...answers, [INFO]: replication([100]) });
  expect(stays).toMatchObject({ ended: 'ended badly', said: expect.stringContaining('has not made another member the primary') });
  expect(stays.calls.at(-1)).toBe(RELEASE);
});

test('one does not take writes again while sentinel may still make another member the primary', () => {
  const { ended, calls } = play(handOverStep(PLACE), {
    [`127.0.0.1:26379 ${MASTER}`]: `if grep -q failover calls; then ${sentinel('a').replace('flags master', 'flags master,failover_in_progress')}; else ${sentinel('a')}; fi`,
    ...{ [HOLD]: 'echo OK', [INFO]: replication([100]), [FAILOVER]: 'echo OK' },
  });
  expect(ended).toBe('ended badly');
  expect(calls).not.toContain(RELEASE);
  expect(calls.filter((call) => call === FAILOVER)).toHaveLength(1);
});

const FUNCTIONS = 'function list libraryname provisioning_group_*';
const FOUNDED = { [`127.0.0.1:26379 ${MASTER}`]: sentinel('a'), [INFO]: 'echo role:master' };
const SOON = 'sleep() { SECONDS=$((SECONDS + 30)); }; setpriv() { :; }; systemctl() { :; }';

test('data gets no second identity because its server does not answer', () => {
  const { ended, calls } = play(waitStep(PLACE, true), FOUNDED, SOON);
  expect(ended).toBe('ended badly');
  expect(calls.some((call) => call.includes('function load'))).toBe(false);
});

test('a primary of five needs two replicas once they are there', () => {
  const five = { ...PLACE, others: ['b', 'c', 'd', 'e'] };
  const needed = [0, 1, 2, 3, 4].map((replicas) => {
    const { calls } = play(
      waitStep(five, true),
      {
        ...FOUNDED,
        [`127.0.0.1:26379 ${MASTER}`]: sentinel('a').replace('num-slaves 2', `num-slaves ${replicas}`),
        [`127.0.0.1:6379 ${FUNCTIONS}`]: `printf '%s\\n' library_name provisioning_group_0123456789abcdef`,
      },
      SOON,
    );
    return calls
      .find((call) => call.includes('min-replicas-to-write'))
      ?.split(' ')
      .at(-1);
  });
  expect(needed).toEqual(['1', '1', '1', '2', '2']);
});

test('a member that does not lead any more when the step runs hands over nothing', () => {
  const { ended, calls } = play(handOverStep(PLACE), { [`127.0.0.1:26379 ${MASTER}`]: sentinel('b') });
  expect([ended, calls]).toEqual(['ended well', [`127.0.0.1:26379 ${MASTER}`]]);
});

const NOT_ACTIVE = 'systemctl() { return 3; }; chmod() { :; }; trap "cat state 2>/dev/null" EXIT';

test('a member follows the primary of the newest decision, and only if that answers as one', () => {
  const answers = { [`b:26379 ${MASTER}`]: sentinel('c', '3'), [`c:26379 ${MASTER}`]: sentinel('b', '2') };
  const joins = play(joinStep(PLACE), { ...answers, 'c:6379 info replication': 'echo role:master' }, NOT_ACTIVE);
  expect(joins).toMatchObject({ ended: 'sentinel monitor main c 6379 1', said: expect.stringContaining('ended well') });
  const stale = play(joinStep(PLACE), { ...answers, 'b:6379 info replication': 'echo role:master' }, NOT_ACTIVE);
  expect(stale).toMatchObject({ ended: 'ended badly', said: 'c does not answer as the primary' });
});

test('a host with the name of the primary waits until another one is that: without data it would empty the others', () => {
  const answers = { [`b:26379 ${MASTER}`]: sentinel('a'), 'a:6379 info replication': 'echo role:master' };
  const { ended, said } = play(joinStep(PLACE), answers, NOT_ACTIVE);
  expect([ended, said]).toEqual(['ended badly', expect.stringContaining('the others still take the former a for the primary')]);
});

test('what a hostile sentinel names is no primary', () => {
  for (const name of [`'$(touch x)'`, `'-x'`, `'a b'`, `'../x'`, `''`]) {
    const { ended, calls } = play(joinStep(PLACE), { [`b:26379 ${MASTER}`]: sentinel(name, '9') }, NOT_ACTIVE);
    expect([ended, calls.filter((call) => !call.includes(':26379 '))]).toEqual(['ended badly', []]);
  }
});

test('the first member founds nothing if another one knows a primary by then', () => {
  const { ended, said } = play(createFounding(PLACE), { [`c:26379 ${MASTER}`]: sentinel('c') });
  expect([ended, said]).toEqual(['ended badly', expect.stringContaining('c knows a primary of the cluster')]);
  expect(play(createFounding(PLACE), {}, `${NOT_ACTIVE}; systemctl() { :; }`)).toMatchObject({
    ended: 'sentinel monitor main a 6379 1',
  });
});

test('before a start the role comes from sentinel, and its own file keeps only what it found out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'provisioning-members-'));
  try {
    const places = { ...PLACES, state: `${folder}/state`, wanted: `${folder}/wanted`, role: `${folder}/role` };
    writeFileSync(join(folder, 'program'), memberProgram(places, 'main', 'a'));
    writeFileSync(places.wanted, 'port 26379\nsentinel monitor main {primary} 2\nsentinel auth-pass main "new\\x22 {primary}"\n');
    const start = (daemon: string, state: string, shown: string): string => {
      writeFileSync(places.state, state);
      return execFileSync('bash', ['-c', `bash ${folder}/program ${daemon} 2>&1 && cat ${shown} || true`], { encoding: 'utf8' });
    };
    const kept = 'sentinel myid 1234\nsentinel known-replica main c 6379\nsentinel current-epoch 4\n';
    const state = `port 1\nrequirepass "old"\n${kept}sentinel monitor main b 6379 3\nuser default on #1234\n`;
    expect(start('server', state, places.role)).toBe('replicaof b 6379\n');
    expect(start('server', 'sentinel monitor main a 6379 2\n', places.role)).toBe('');
    expect(start('sentinel', state, places.state)).toBe(
      `port 26379\nsentinel monitor main b 6379 2\nsentinel auth-pass main "new\\x22 {primary}"\n${kept}`,
    );
    for (const gone of ['', kept, 'sentinel monitor other b 6379 2\n', 'sentinel monitor main $(x) 6379 2\n'])
      expect(start('server', gone, places.role)).toMatch(/is no member of the cluster main/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
