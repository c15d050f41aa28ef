import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { GroupContext, PlanContext, Step } from '../../sdk/index.js';
import { type FoundMember, peerId } from './nats-ask.js';
import type { NatsConfig } from './nats-conf.js';
import { natsGroup, planMember } from './nats-group.js';
import { leaveStep } from './nats-steps.js';

type NatsMember = GroupContext<{ member: FoundMember }>['members'][number];

const CONFIG = { cluster: 'main', port: 4222, monitoringPort: 8222, clusterPort: 6222 } as NatsConfig;
const follows: FoundMember = { cluster: 'main', runs: true, serves: true, leads: false, voters: 3 };
const leads: FoundMember = { ...follows, leads: true };
const stopped: FoundMember = { cluster: 'main', runs: false, serves: false, leads: false };
const orphan: FoundMember = { orphan: true, runs: false, serves: false, leads: false };
const seen = (server: string, member: FoundMember): NatsMember => ({
  ...{ server, address: server, machine: `${server}-1` },
  ...{ state: 'seen', standing: natsGroup.standing({ member }), found: { member } },
});
const start: Step = { title: 'Start nats-server', service: { name: 'nats-server', state: 'running', enabled: true } };
const titles = (server: string, members: NatsMember[]) =>
  planMember(CONFIG, { host: { name: server }, group: { name: 'main', members } } as never as PlanContext, [start]).map(
    ({ title }) => title,
  );
const KEEPS = expect.stringContaining('Keep the former data');

test('data is that of a former member only if the leader knows all members, and it is none of them', () => {
  const others = (peers?: string[]) => [seen('a', { ...leads, ...(peers && { peers }) }), seen('b', follows)];
  expect(titles('c', [...others(), seen('c', stopped)])).not.toContainEqual(KEEPS);
  expect(titles('c', [...others(['a', 'b', 'c'].map(peerId)), seen('c', stopped)])).not.toContainEqual(KEEPS);
  expect(titles('c', [...others(['a', 'b'].map(peerId)), seen('c', stopped)])).toContainEqual(KEEPS);
});

test('a host with data that was left behind is known to have it, and founds nothing beside it', () => {
  expect(natsGroup.standing({ member: orphan })).toMatchObject({ id: 'orphan', serves: false });
  expect(natsGroup.standing({ member: orphan }).group).toBeUndefined();
  const others = (peers: string[]) => [seen('a', { ...leads, peers: peers.map(peerId) }), seen('b', follows)];
  expect(titles('c', [...others(['a', 'b']), seen('c', orphan)])).toContainEqual(KEEPS);
  expect(titles('c', [...others(['a', 'b', 'c']), seen('c', orphan)])).not.toContainEqual(KEEPS);
  const expected = { server: 'a', address: 'a', state: 'expected' as const };
  expect(() => titles('a', [expected, seen('b', orphan)])).toThrow(/b has data/);
});

test('a member whose machine is replaced is not removed: NATS would not let the new one in', () => {
  const stays = [seen('a', leads), seen('b', follows)];
  const b = seen('b', follows);
  expect(natsGroup.leave?.(CONFIG, b, { name: 'main', members: stays })).toEqual([]);
  const gone = natsGroup.leave?.(CONFIG, b, { name: 'main', members: [seen('a', leads)] });
  expect(gone?.map(({ title }) => title)).toEqual(['Remove b from the nats cluster main']);
});

/** Plays the removal of c on a member. Each request gets the next answer, or again the last one. */
function remove(answers: string[]): { ended: string; asked: string[] } {
  const step = leaveStep({ config: CONFIG, cluster: 'main' }, 'c') as Step & { run: string };
  const world = `exec 3>&1; n=$(mktemp); trap 'rm -f "$n"' EXIT
sed() { echo 127.0.0.1; }; sleep() { :; }
answers=(${answers.map((answer) => `'${answer}'`).join(' ')})
timeout() { echo . >> "$n"; printf '%s\\n' "\${@: -1}" >&3; local i; i=$(wc -l < "$n")
  [ $i -le \${#answers[@]} ] || i=\${#answers[@]}; printf '%s\\n' "\${answers[i-1]}"; }
( ${step.run}
) && echo ended well || echo ended badly`;
  const lines = execFileSync('bash', ['-uo', 'pipefail', '-c', world], { encoding: 'utf8', env: process.env }).trim().split('\n');
  return { ended: lines.at(-1) ?? '', asked: lines.filter((line) => line.startsWith('{"peer"')) };
}

const TAKEN = '{"type":"io.nats.jetstream.api.v1.meta_server_remove_response","success":true}';
const NO_MEMBER = '{"error":{"code":400,"err_code":10044,"description":"server is not a member of the cluster"}}';

test('a member is removed by its id, and has left once the leader says so for longer than one without a majority leads', () => {
  const { ended, asked } = remove([TAKEN, NO_MEMBER]);
  expect(ended).toBe('ended well');
  expect(asked).toEqual(Array(8).fill('{"peer":"c","peer_id":"k1i3jIye"}'));
  // Another leader had not heard of the removal.
  expect(remove([TAKEN, NO_MEMBER, NO_MEMBER, TAKEN, NO_MEMBER]).asked).toHaveLength(11);
});

test('a removal that the leader took and does not carry out fails', () => {
  expect(remove([TAKEN]).ended).toBe('ended badly');
  expect(remove(['']).ended).toBe('ended badly');
});
