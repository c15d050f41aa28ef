import { expect, test } from 'vitest';
import type { PlanContext, Step } from '../../sdk/index.js';
import { vault } from './vault.js';
import type { FoundMember } from './vault-ask.js';
import { config } from './vault-config.js';
import { planMember, type VaultMember, vaultGroup } from './vault-group.js';
import { memberHcl, readJoins } from './vault-hcl.js';

const tls = Object.fromEntries(['certificate', 'key', 'authority'].map((part) => [part, { $secret: part }]));
const CONFIG = { ...config.parse({ cluster: 'main', tls, token: { $secret: 'token' } }), cluster: 'main' };
const CLUSTER = '5f3b0c1e-8f0a-4d4e-9a1a-2f7d0c6b9e11';
const idOf = (server: string): string => `${server}-0000000${server.charCodeAt(0) - 96}`;
const peers = ['a', 'b', 'c'].map((server) => ({ id: idOf(server), votes: true }));
const serving = (server: string, more: Partial<FoundMember> = {}): FoundMember => ({
  ...{ id: idOf(server), full: true, state: 'unsealed', cluster: CLUSTER, serves: true, leads: false, peers, tidies: 3 },
  ...more,
});
const sealed = (server: string, full = true): FoundMember => ({
  ...{ id: idOf(server), full, state: 'sealed', serves: false, leads: false },
});
const member = (server: string, found?: FoundMember): VaultMember => ({
  ...{ server, address: server },
  ...(found
    ? { state: 'seen', standing: vaultGroup.standing({ member: found }), found: { member: found } }
    : { state: 'expected' }),
});
const start: Step = { title: 'Start vault', service: { name: 'vault', state: 'running', enabled: true } };
const restart: Step = { title: 'Restart vault', service: { name: 'vault', state: 'running', enabled: true, change: 'restart' } };
const plan = (server: string, members: VaultMember[], steps: Step[] = [start], wanted = CONFIG) =>
  planMember(wanted, { host: { name: server }, group: { name: 'main', members } } as never as PlanContext, {
    ...{ steps, listening: { address: '10.0.0.2' } as const },
  });
const titles = (...args: Parameters<typeof plan>) => plan(...args).map(({ title }) => title);
const others = (server: string, more: Partial<FoundMember> = {}) =>
  ['a', 'b', 'c'].filter((one) => one !== server).map((one) => member(one, serving(one, more)));

test('a restart waits for the person before the next member, and a cluster without an initialization waits for nothing', () => {
  expect(titles('b', [...others('b'), member('b', serving('b'))], [restart])).toEqual([
    'Check that the vault cluster main can spare b',
    'Hand over the lead of the vault cluster main',
    'Restart vault',
    'Wait until a person has unsealed b (vault operator unseal) and it serves in the vault cluster main',
  ]);
  expect(titles('b', [...others('b'), member('b', sealed('b'))], [])).toHaveLength(1);
  expect(titles('a', [member('a'), member('b'), member('c')])).toEqual(['Give a an id in the vault cluster main', 'Start vault']);
  const started = ['a', 'b', 'c'].map((server) => member(server, { ...sealed(server, false), state: 'new' }));
  expect(titles('a', started, [])).toEqual([]);
});

test('a sealed member with data counts for the quorum, and one that has not joined yet does not', () => {
  expect(vaultGroup.standing({ member: sealed('b') })).toMatchObject({
    ...{ group: 'vault', serves: false, why: 'it is sealed: unseal it with "vault operator unseal"' },
  });
  expect(vaultGroup.standing({ member: sealed('b', false) }).group).toBeUndefined();
  expect(vaultGroup.standing({ member: serving('a') })).toMatchObject({ voters: 3, lists: ['a', 'b', 'c'] });
});

test('a member joins a cluster that serves only if it is known whether a former machine of its name counts', () => {
  expect(titles('b', [...others('b'), member('b')])[0]).toBe('Add b to the vault cluster main');
  const { token: _, ...without } = CONFIG;
  expect(() => plan('b', [...others('b'), member('b')], [start], without)).toThrow('without "token" it is not known');
  const blind = ['a', 'c'].map((server) => {
    const { peers: _, ...found } = serving(server);
    return member(server, found);
  });
  expect(() => plan('b', [...blind, member('b')])).toThrow('the token may not read the list of members on a, c');
});

test('nothing begins beside data, or beside a host that does not answer', () => {
  expect(() => plan('a', [member('a'), member('b', sealed('b')), member('c')])).toThrow('b has data');
  const silent: VaultMember = { server: 'b', address: 'b', state: 'silent' };
  expect(() => plan('a', [member('a'), silent, member('c')])).toThrow('b may have the cluster');
});

test('a former machine that returns keeps its data aside, and one that is listed does not', () => {
  const former = { ...sealed('b'), id: 'b-000000ff' };
  const steps = plan('b', [...others('b'), member('b', former)]);
  expect(steps.map(({ title }) => title).slice(0, 2)).toEqual([
    'Keep the former data of vault, which is not of the cluster main, as /opt/vault/former-b-000000ff',
    'Add b to the vault cluster main',
  ]);
  const { run } = steps[0] as { run: string };
  expect(run.indexOf('administer listed')).toBeGreaterThan(0);
  expect(run.indexOf('administer listed')).toBeLessThan(run.indexOf('systemctl stop'));
  expect(titles('b', [...others('b'), member('b', sealed('b'))])[0]).toBe('Start vault');
});

test('two clusters of one name are refused, and data of a single server, too', () => {
  const other = '00000000-8f0a-4d4e-9a1a-2f7d0c6b9e11';
  expect(() => plan('b', [member('a', serving('a')), member('b', serving('b', { cluster: other }))])).toThrow(
    'a, b serve 2 different clusters',
  );
  const { id: _, ...single } = sealed('b');
  expect(() => plan('b', [member('a'), member('b', single)])).toThrow('its data is that of a single server');
});

test('the list of those that one asks to let it in stays as it was once it has joined', () => {
  const ends = { cluster: 'main', clients: { address: '10.0.0.2' }, peers: { address: '10.0.0.2' } } as const;
  const content = memberHcl(CONFIG, 'b', { ...ends, others: ['a', 'c'] });
  expect(readJoins(content)).toEqual(['a', 'c']);
  expect(content).toContain('cluster_address = "10.0.0.2:8201"');
  expect(memberHcl(CONFIG, 'b', { ...ends, clients: { address: 'b' }, others: [] })).toContain('address = "0.0.0.0:8200"');
});

test('a member that is only replaced is taken out by its new machine, and one that goes by another member', () => {
  const members = [member('a', serving('a')), member('b', serving('b'))];
  const b = member('b', serving('b'));
  expect(vaultGroup.leave?.(CONFIG, b, { name: 'main', members })).toEqual([]);
  expect(vaultGroup.leave?.(CONFIG, b, { name: 'main', members: [member('a')] })).toMatchObject([
    { title: 'Remove b from the vault cluster main', env: { VAULT_TOKEN: [{ $secret: 'token' }] } },
  ]);
  const [a] = members as [VaultMember];
  expect(() => vaultGroup.handOver?.(CONFIG, a, { name: 'main', members }, b)).toThrow('Vault itself chooses the next leader');
});

test('the token is in no script, and members look each other up, so that a firewall lets them in', () => {
  const scripts = plan('a', [member('a', serving('a')), ...others('a')], [restart]).map((step) => ('run' in step ? step.run : ''));
  expect(scripts.join('')).not.toContain('$secret');
  expect(vault.uses?.(CONFIG)).toEqual(['vault', 'vault-cluster']);
  expect(vault.uses?.(config.parse({}))).toEqual([]);
});
