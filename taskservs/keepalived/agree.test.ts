import { describe, expect, test } from 'vitest';
import type { AgreeingServer } from '../../sdk/index.js';
import { agree, deriveRouterId } from './agree.js';
import { type KeepalivedConfig, keepalivedConfig } from './keepalived-config.js';

type Around = Partial<Omit<AgreeingServer<unknown>, 'config'>>;

const ADDRESSES = [{ address: '10.0.0.100/24' }];

const on = (server: string, config: object = {}, around: Around = {}): AgreeingServer<KeepalivedConfig> => ({
  ...{ server, provider: 'demo', network: 'shop', beside: {}, everywhere: ['keepalived'] },
  ...around,
  config: keepalivedConfig.parse({ addresses: ADDRESSES, ...config }),
});

const messagesOf = (servers: AgreeingServer<KeepalivedConfig>[]) =>
  agree(servers).disagreements.map(
    ({ server, at, message, warning }) => `${warning ? 'warning' : 'fault'} ${server} ${at.join('.')}: ${message}`,
  );

describe('the servers of a group', () => {
  test('get members, one router id, and priorities in the order of the definition', () => {
    const { configs, disagreements, reaches } = agree([on('a'), on('b'), on('c')]);
    expect(disagreements).toEqual([]);
    expect(configs.map(({ members }) => members)).toEqual(Array(3).fill(['a', 'b', 'c']));
    expect(configs.map(({ priority }) => priority)).toEqual([200, 199, 198]);
    expect(new Set(configs.map(({ routerId }) => routerId))).toEqual(new Set([deriveRouterId('default')]));
    expect(reaches).toEqual({ a: ['b', 'c'], b: ['a', 'c'], c: ['a', 'b'] });
  });

  test('are preferred in the order that `members` says, if one of them has it', () => {
    const { configs } = agree([on('a', { members: ['b', 'a'] }), on('b')]);
    expect(configs.map(({ priority }) => priority)).toEqual([199, 200]);
  });

  test('take the router id that one of them has', () => {
    expect(agree([on('a'), on('b', { routerId: 9 })]).configs.map(({ routerId }) => routerId)).toEqual([9, 9]);
  });

  test('get the same again from what was decided', () => {
    const { configs } = agree([on('a'), on('b')]);
    const again = agree([on('a', configs[0]), on('b', configs[1])]);
    expect(again).toMatchObject({ configs, disagreements: [] });
  });
});

test('a derived router id is from 1 to 255', () => {
  const ids = Array.from({ length: 2_000 }, (_, index) => deriveRouterId(`group-${index}`));
  expect(Math.min(...ids)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...ids)).toBeLessThanOrEqual(255);
  expect(new Set(ids).size).toBeGreaterThan(200);
});

const host = (address: string) => ({ kind: 'ssh' as const, address, port: 22, user: 'root' });
const haproxy = { beside: { haproxy: [{ name: 'http' }] }, everywhere: ['keepalived', 'haproxy'] };
const check = { taskserv: 'haproxy', offering: 'http' };

test.each<[string, AgreeingServer<KeepalivedConfig>[], string[]]>([
  ['one member', [on('a')], ['warning a group: "a" is the only server of the group "default": its addresses cannot move']],
  [
    'two groups with one router id',
    [on('a', { routerId: 5 }), on('b'), on('c', { group: 'web', routerId: 5 }), on('d', { group: 'web' })],
    ['fault c routerId: the groups "default" and "web" have the same router id 5 on one network'],
  ],
  [
    'the same on two networks',
    [on('a', { routerId: 5 }), on('b'), ...['c', 'd'].map((name) => on(name, { group: 'web', routerId: 5 }, { network: 'other' }))],
    [],
  ],
  [
    'two router ids of one group',
    [on('a', { routerId: 5 }), on('b', { routerId: 6 })],
    ['fault b routerId: the group "default" has the router id 5 on "a", and 6 here'],
  ],
  [
    'equal priorities',
    [on('a', { priority: 9 }), on('b', { priority: 9 })],
    ['fault b priority: "a" and "b" both have the priority 9'],
  ],
  [
    'a priority like a derived one',
    [on('a', { priority: 199 }), on('b')],
    ['fault a priority: "a" and "b" both have the priority 199'],
  ],
  [
    'other addresses',
    [on('a'), on('b', { addresses: [{ address: '10.0.0.101/24' }] })],
    ['fault b addresses: addresses of the group "default" differs from that of "a"'],
  ],
  [
    'the own address of a server',
    [on('a', {}, { host: host('10.0.0.100') }), on('b', {}, { host: host('10.0.0.7') })],
    ['a', 'b'].map((name) => `fault ${name} addresses.0.address: 10.0.0.100 is the own address of "a"`),
  ],
  [
    'an address outside of the network',
    [on('a', {}, { networkRange: '10.1.0.0/16' }), on('b', { addresses: [{ address: '10.0.0.100/24', interface: 'eth0' }] })],
    ['warning a addresses.0.address: 10.0.0.100 is outside of the network 10.1.0.0/16 of "a"'],
  ],
  [
    'a member that is no server with keepalived',
    [on('a', { members: ['a', 'b', 'z'] }), on('b')],
    ['fault a members.2: "z" has no keepalived'],
  ],
  ['a member that is left out', [on('a', { members: ['a'] }), on('b')], ['fault a members: "b" of the group is not listed']],
  [
    'two networks in one group',
    [on('a'), on('b', {}, { network: 'other' })],
    ['warning b group: "a" and "b" of the group "default" are on different networks'],
  ],
  [
    'a check of a service on another server',
    [on('a', { check }, haproxy), on('b', { check }, { ...haproxy, beside: {} })],
    ['fault b check.taskserv: "b" has no "haproxy", and keepalived checks only services of its own server'],
  ],
  [
    'a check by UDP',
    ['a', 'b'].map((name) => on(name, { check }, { ...haproxy, beside: { haproxy: [{ name: 'http', protocol: 'udp' }] } })),
    ['a', 'b'].map((name) => `fault ${name} check.offering: "http" of "haproxy" is UDP`),
  ],
])('%s', (_, servers, expected) => expect(messagesOf(servers)).toEqual(expected));

test.each(['hetzner', 'upcloud', 'aws'])('warns at %s, whose network does not follow VRRP, and says what to use', (provider) => {
  const { disagreements } = agree([on('a', {}, { provider }), on('b', {}, { provider })]);
  expect(disagreements).toHaveLength(2);
  expect(disagreements[0]).toMatchObject({ warning: true, suggestion: expect.stringContaining('load balancer') });
  expect(agree(['a', 'b'].map((name) => on(name, {}, { provider, host: host(`10.0.0.${name}`) }))).disagreements).toEqual([]);
});

test.each<[string, object, string]>([
  ['an address without its prefix', { addresses: [{ address: '10.0.0.1' }] }, 'prefix length'],
  ['an address twice', { addresses: [{ address: '10.0.0.1/24' }, { address: '10.0.0.1/32' }] }, 'only once'],
  ['no address', { addresses: [] }, '>=1'],
  ['a name of a group with a quote', { group: 'a"b', addresses: ADDRESSES }, 'lower-case'],
  ['an interface with a line', { interface: 'eth0\nx', addresses: ADDRESSES }, 'interface'],
  ['router id 256', { routerId: 256, addresses: ADDRESSES }, '<=255'],
  ['priority 255, which is for the owner of an address', { priority: 255, addresses: ADDRESSES }, '<=254'],
  ['a password with IPv6 only', { password: { $secret: 'p' }, addresses: [{ address: 'fd00::1/64' }] }, 'IPv6 only'],
  ['a check of nothing', { check: { prot: 80 }, addresses: ADDRESSES }, 'prot'],
])('refuses %s', (_, config, why) => {
  const { success, error } = keepalivedConfig.safeParse(config);
  expect(success).toBe(false);
  expect(JSON.stringify(error?.issues)).toContain(why);
});
