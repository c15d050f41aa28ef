import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { memberFact, readMember } from './rabbitmq-ask.js';

const ID = 'rabbitmq-cluster-id-xsu1cmQGn6y79gPkcofmuw';
const [A, B, C] = ['rabbit-0000000a@a', 'rabbit-0000000b@b-1', 'rabbit-0000000c@c'];
const page = (node: string, id = ID) =>
  `rabbitmq_identity_info{rabbitmq_node="${node}",rabbitmq_cluster="main",rabbitmq_cluster_permanent_id="${id}"} 1`;
const answer = (more: { cluster?: string; list?: string; running?: string; page?: string }) =>
  `data ${A} ${more.cluster ?? ID}
cluster_nodes.config ${more.list ?? `{[${A},${B},${C}],[${A},${B},${C}]}.`}
nodes_running_at_shutdown ${more.running ?? `[${A},${B}].`}
${more.page ?? page(A)}
`;
const notServing = { data: { node: A, cluster: ID }, serves: false, list: [] };

test('a member serves with a majority of the members that it knows', () => {
  expect(readMember({ stdout: answer({}), exit: 0 })).toEqual({ ...notServing, serves: true, list: [A, B, C] });
  expect(readMember({ stdout: answer({ running: `[${A}].` }), exit: 0 })).toEqual(notServing);
  expect(readMember({ stdout: answer({ running: `[${B},${C}].` }), exit: 0 })).toEqual(notServing);
});

test('a broker that has paused itself shows no metrics, and does not serve', () => {
  expect(readMember({ stdout: answer({ page: '' }), exit: 0 })).toEqual(notServing);
});

test('the metrics have to be those of this node, and of its cluster', () => {
  expect(readMember({ stdout: answer({ page: page(B) }), exit: 0 })).toEqual(notServing);
  expect(readMember({ stdout: answer({ page: page(A, `${ID}x`) }), exit: 0 })).toEqual(notServing);
});

test('a member that was cut off before it noted its cluster belongs to it only together with others', () => {
  const cut = { data: { node: A }, serves: true, list: [A, B, C], joined: ID };
  expect(readMember({ stdout: answer({ cluster: '' }), exit: 0 })).toEqual(cut);
  const own = { cluster: '', list: `{[${A}],[${A}]}.`, running: `[${A}].` };
  expect(readMember({ stdout: answer(own), exit: 0 })).toEqual({ data: { node: A }, serves: true, list: [A] });
});

test('what has another form does not count', () => {
  const nothing = { serves: false, list: [] };
  for (const stdout of ['', 'data rabbit@a\n', 'data $(reboot)\n', `data rabbit-0000000a@a;reboot ${ID}\n`])
    expect(readMember({ stdout, exit: 0 })).toEqual(nothing);
  for (const list of [`{[${A},'$(reboot)'],[]}.`, `{[${A},rabbit@b],[]}.`, '[]', `{[${A}`])
    expect(readMember({ stdout: answer({ list }), exit: 0 })).toEqual(notServing);
});

const { run } = memberFact({ metricsPort: 15692 }) as { run: string };
const ask = (world: string) =>
  spawnSync('bash', ['-c', `systemctl() { return 3; }; getent() { :; }\n${world}\n${run}`], { encoding: 'utf8' });

test('a host without the service has no data, and one that cannot be read is silent', () => {
  expect(ask('getent() { return 2; }')).toMatchObject({ stdout: '', status: 0 });
  expect(ask('getent() { return 1; }')).toMatchObject({ stdout: '', status: 1 });
  expect(ask('runuser() { return 1; }')).toMatchObject({ stdout: '', status: 1 });
  expect(ask('runuser() { :; }')).toMatchObject({ stdout: '', status: 0 });
  expect(ask(`runuser() { echo 'data ${A} ${ID}'; }`)).toMatchObject({ stdout: `data ${A} ${ID}\n`, status: 0 });
});

test('what cannot be read is not taken for a member without data', () => {
  expect(() => readMember({ stdout: '', exit: 1 })).toThrow('its data could not be read');
});
