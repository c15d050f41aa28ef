import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { PlanContext, Step } from '../../sdk/index.js';
import { CONFIG } from '../../test/support/etcd-model.js';
import { type FoundMember, memberFact } from './etcd-ask.js';
import { etcdGroup, planMember } from './etcd-group.js';
import { type EtcdMember, promoteStep } from './etcd-steps.js';

const list = [...'abc'].map((name) => ({ id: `${name}1`, name, peers: `https://${name}:2380`, learner: false }));
const serving = (server: string, leads = false): FoundMember => ({
  ...{ data: { cluster: 'c1', id: `${server}1` }, serves: true, leads, joining: false, list },
});
const member = (server: string, found?: FoundMember): EtcdMember => ({
  ...{ server, address: server },
  ...(found ? { state: 'seen', standing: etcdGroup.standing({ member: found }), found: { member: found } } : { state: 'expected' }),
});
const start: Step = { title: 'Start etcd', service: { name: 'etcd', state: 'running', enabled: true, change: 'restart' } };
const plan = (server: string, members: EtcdMember[]) =>
  planMember(CONFIG, 'main', { host: { name: server }, group: { name: 'main', members } } as never as PlanContext, {
    ...{ steps: [start], defaults: '' },
  });

test('a new cluster has the same steps before its first member serves as after: a plan that people hold stays the same', () => {
  const none = [member('a'), member('b'), member('c')];
  const founded = [member('a', serving('a', true)), member('b'), member('c')];
  const joined = [member('a', serving('a', true)), member('b', serving('b')), member('c')];
  expect(plan('b', founded)).toEqual(plan('b', none));
  expect(plan('c', joined)).toEqual(plan('c', none));
});

test('each restart hands over the lead if its member has it by then', () => {
  const [led, follows] = [true, false].map((leads) => [member('a', serving('a', leads)), member('b', serving('b', !leads))]);
  expect(plan('a', led ?? [])).toEqual(plan('a', follows ?? []));
  expect(plan('a', led ?? []).map(({ title }) => title)).toContain('Hand over the lead of the etcd cluster main');
});

/** Runs bash in which etcdctl is a function, and sleeping only moves the clock. */
function play(script: string, etcdctl: string, seconds: number): { code: number; output: string } {
  const world = `exec 3>&1; tries=$(mktemp); trap 'rm -f "$tries"' EXIT
runuser() { :; }
sleep() { SECONDS=$((SECONDS + ${seconds})); }
etcdctl() { ${etcdctl}; }
`;
  try {
    return { code: 0, output: execFileSync('bash', ['-euo', 'pipefail', '-c', world + script], { encoding: 'utf8' }) };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, output: stdout };
  }
}

const place = { config: CONFIG, cluster: 'main', server: 'b', others: [member('a')] };
const promote = promoteStep(place) as Step & { run: string };
const learner = (status: string, until: number) => `case "$*" in
  *'member list') [ -e "$tries.done" ] && v=false || v=true; echo "b1, started, b, https://b:2380, https://b:2379, $v" ;;
  *'member promote b1') echo x >>"$tries"
    if [ "$(wc -l <"$tries")" -ge ${until} ]; then touch "$tries.done"; return 0; fi
    echo 'etcdserver: can only promote a learner member which is in sync with leader'; return 1 ;;
  *'endpoint status') ${status} ;;
esac`;

test('a member gets its vote however long its data takes, as long as it runs', () => {
  expect(play(promote.run, learner(':', 4), 40)).toEqual({ code: 0, output: '' });
  const why = 'etcdserver: can only promote a learner member which is in sync with leader\n';
  expect(play(promote.run, learner('return 1', 4), 40)).toEqual({ code: 1, output: why });
});

test('a member without a majority says soon that it is there', () => {
  const answer = play(
    (memberFact(CONFIG) as { run: string }).run
      .replace(/^perl .*\}' \S+ .. exit 1$/ms, 'echo data c1 b1')
      .replace('systemctl is-active -q etcd', ':'),
    'local all="$*"; echo "asked ${all##*command-timeout=}" >&3; return 1',
    0,
  );
  // One question, within the time that the platform waits for a host.
  expect(answer.output).toMatch(/^data c1 b1\nasked [0-3]s member list\n$/);
});
