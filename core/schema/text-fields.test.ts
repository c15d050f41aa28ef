import { describe, expect, test } from 'vitest';
import { modules } from '../../test/support/modules.js';
import { definitionFile } from './definition.js';
import { absolutePath, filePath, hostName, line, word } from './text-fields.js';

const host = { address: 'db.example.org' };
const definition = (server: Record<string, unknown>) => ({ infra: 'shop', servers: [{ name: 'db', ...server }] });
const option = '-oProxyCommand=touch /tmp/x';

describe('a definition takes no text where it reaches a program or a file', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['a user that is an option', { host: { ...host, user: option } }, 'a user name is'],
    ['a user with a command', { host: { ...host, user: '$(id)' } }, 'a user name is'],
    ['an address that is an option', { host: { address: option } }, 'write a host name'],
    ['an address that is none', { host: { address: '300.1.2.3' } }, 'write a host name'],
    ['an address with a prefix length', { host: { address: '10.0.0.1/24' } }, 'write a host name'],
    ['an address of free text', { host: { address: 'the box below the desk' } }, 'write a host name'],
    ['an address with a zone', { host: { address: 'fe80::1%eth0' } }, 'write a host name'],
    ['a jump host that is an option', { host: { ...host, jump: option } }, 'write user@address:port'],
    ['a key file that is an option', { host: { ...host, identity: '-F/tmp/x' } }, 'a path does not begin with a dash'],
    ['a host key of two lines', { host: { ...host, hostKey: 'ssh-ed25519 AAAA\nother' } }, 'write type and key'],
    ['a range of what is no address', { firewall: [{ allow: 'tcp', ports: 22, from: ['999.1.1.1/24'] }] }, 'write a range'],
    ['a plan that is an option', { plan: '--privileged' }, 'use letters'],
    ['an image with a command', { image: '$(id)' }, 'use letters'],
    ['a label with an escape', { labels: { a: 'x\u001b[2J' } }, 'write one line'],
    ['a label that is longer than any provider takes', { labels: { a: 'x'.repeat(256) } }, 'at most 255'],
  ])('%s', (_, server, message) => {
    const { error } = definitionFile.safeParse(definition(server));
    expect(JSON.stringify(error?.issues)).toContain(message);
  });

  test('and takes what people write', () => {
    const servers = [
      { host: { ...host, user: '_svc.deploy-1', jump: 'me@[2001:db8::1]:2222', identity: '~/.ssh/id_ed25519' } },
      { host: { address: '2001:db8::7', hostKey: 'ssh-ed25519 AAAAC3Nza+/== me@desk, the old one' } },
      { image: 'ami-0123', plan: '1xCPU-2GB', region: 'eu-central', labels: { team: 'Einkauf & Küche', 'a/b': '' } },
      { firewall: [{ allow: 'tcp', ports: 22, from: ['10.0.0.0/8', '2001:db8::/32'] }] },
    ];
    for (const server of servers) expect(definitionFile.safeParse(definition(server)).error?.issues).toBeUndefined();
  });
});

test.each([
  ['users', { users: [{ name: 'deploy', home: '/home/../etc' }] }],
  ['users', { users: [{ name: '-u0' }] }],
  ['users', { users: [{ name: 'a', authorizedKeys: ['ssh-ed25519 AAAA me\u001b]0;x\u0007'] }] }],
  ['nginx', { root: '/srv/../etc' }],
  ['nginx', { sites: [{ name: '-x', serverName: 'a', root: '/srv' }] }],
  ['postgres', { settings: { work_mem: '1\u0085MB' } }],
  ['postgres', { databases: [{ name: 'a; DROP TABLE' }] }],
  ['prometheus', { targets: [{ job: 'a', targets: ['300.1.2.3:9100'] }] }],
  ['prometheus', { targets: [{ job: 'a', targets: ['db:9100'], path: '/x\n- evil' }] }],
])('the configuration of %s refuses %o', (name, config) =>
  expect(modules.taskservs[name]?.config.safeParse(config).success).toBe(false),
);

test.each([
  ['db.example.org', true],
  ['DB-1', true],
  ['a'.repeat(63), true],
  ['a'.repeat(64), false],
  ['10.0.0.1', false],
  ['2001:db8::1', false],
  ['-a.example.org', false],
  ['a..b', false],
  ['a_b', false],
  ['*.example.org', false],
  ['example.org; }', false],
  ['', false],
])('whether %s is a host name: %s', (text, is) => expect(hostName().safeParse(text).success).toBe(is));

test.each([
  ['_', true],
  ['shop.example.org', true],
  ['example.org *.example.org .example.com www.example.* 192.0.2.7 my_app', true],
  ['*', false],
  ['*.*', false],
  ['a*.example.org', false],
  ['a..b', false],
  ['-a', false],
  ['a  b', false],
  ['300.1.2.3', false],
  ['a;b', false],
  ['a\nb', false],
])('whether nginx answers to %j: %s', (serverName, does) =>
  expect(modules.taskservs.nginx?.config.safeParse({ serverName }).success).toBe(does),
);

test('a word, a line and paths', () => {
  for (const text of ['', '-a', 'a\n', 'a;b', 'a\u202eb']) expect(word().safeParse(text).success).toBe(false);
  for (const text of ['a\tb', 'a\nb', 'a\u200bb', '\u009b', '\ufeffa']) expect(line().safeParse(text).success).toBe(false);
  expect(line().safeParse('Grüße, 世界 👍').success).toBe(true);
  for (const text of ['-a', 'a\0b', '']) expect(filePath().safeParse(text).success).toBe(false);
  for (const text of ['/', 'a', '/a/../b', '/..', '/./a', '//a', '/a b', '/a/'])
    expect(absolutePath().safeParse(text).success).toBe(false);
  for (const text of ['/srv/www', '/a/..b', '/.config']) expect(absolutePath().safeParse(text).success).toBe(true);
});
