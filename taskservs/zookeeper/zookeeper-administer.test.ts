import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ADMINISTER } from './zookeeper-administer.js';
import { ADMIN } from './zookeeper-places.js';

const folder = mkdtempSync(join(tmpdir(), 'zookeeper-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Servers as the program sees them: the nodes of each one that answers. */
type Servers = Record<string, Record<string, string>>;
const store = join(folder, 'servers.json');

/** A library of clients that keeps the nodes of all servers in one file. */
const KAZOO = {
  '__init__.py': '',
  'exceptions.py': `
class KazooException(Exception): pass
class BadVersionError(KazooException): pass
class NoNodeError(KazooException): pass
class NodeExistsError(KazooException): pass
`,
  'handlers/__init__.py': '',
  'handlers/threading.py': 'class KazooTimeoutError(Exception): pass\n',
  'client.py': `
import json, types
from kazoo.exceptions import NoNodeError, NodeExistsError
from kazoo.handlers.threading import KazooTimeoutError
class KazooClient:
    def __init__(self, hosts, timeout, auth_data=None): self.hosts = hosts
    def load(self): return json.load(open('${store}'))
    def change(self, path, value):
        servers = self.load()
        servers[self.hosts][path] = value
        json.dump(servers, open('${store}', 'w'))
    def start(self, timeout):
        if self.hosts not in self.load(): raise KazooTimeoutError('no answer')
    def stop(self): pass
    def close(self): pass
    def exists(self, path): return path in self.load()[self.hosts]
    def get(self, path):
        if not self.exists(path): raise NoNodeError()
        return self.load()[self.hosts][path].encode(), types.SimpleNamespace(version=1)
    def set(self, path, value, version=-1):
        if not self.exists(path): raise NoNodeError()
        self.change(path, value.decode())
    def create(self, path, value):
        if self.exists(path): raise NodeExistsError()
        self.change(path, value.decode())
    def ensure_path(self, path):
        if not self.exists(path): self.change(path, '')
    def reconfig(self, joining, leaving, new_members, from_config):
        lines = [line for line in self.get('/zookeeper/config')[0].decode().split('\\n') if not line.startswith('version=')]
        gone = (leaving.split(',') if leaving else []) + ([joining.split('=')[0][len('server.'):]] if joining else [])
        lines = [line for line in lines if line.split('=')[0][len('server.'):] not in gone] + ([joining] if joining else [])
        self.change('/zookeeper/config', '\\n'.join(lines + ['version=%x' % (from_config + 1)]))
`,
};
for (const [path, text] of Object.entries(KAZOO)) {
  mkdirSync(join(folder, 'kazoo/handlers'), { recursive: true });
  writeFileSync(join(folder, 'kazoo', path), text);
}
writeFileSync(join(folder, 'password'), 'secret\n');

const OLD = '6c6ae3f2-0000-4000-8000-000000000001';
const OTHER = '6c6ae3f2-0000-4000-8000-000000000002';
const entry = (server: string, port = 2888): string => `${server}:${port}:3888:participant;0.0.0.0:2181`;

/** Nodes of a server: its members, by their numbers, and its identity. */
const nodes = (members: Record<number, string>, group?: string, number?: number): Record<string, string> => ({
  '/zookeeper/config': [...Object.entries(members).map(([id, at]) => `server.${id}=${at}`), 'version=1f'].join('\n'),
  ...(group && { '/zookeeper/provisioning-group': group }),
  ...(number !== undefined && { '/zookeeper/provisioning-number': String(number) }),
});

const write = (servers: Servers): void => writeFileSync(store, JSON.stringify(servers));
const read = (): Record<string, string> => (JSON.parse(readFileSync(store, 'utf8')) as Servers).own ?? {};
const listed = (): string[] => (read()['/zookeeper/config'] ?? '').split('\n').slice(0, -1);
const administer = (...args: string[]): string =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', `${ADMINISTER.replaceAll(ADMIN, folder)}\nadminister "$@"`, 'bash', ...args], {
    ...{ encoding: 'utf8', env: { ...process.env, PYTHONPATH: folder }, stdio: 'pipe' },
  }).trim();

beforeEach(() => write({ own: nodes({ 1: entry('a'), 2: entry('b') }, OLD) }));

test('no number is used twice, though its member was removed or has no vote yet', () => {
  expect([administer('take', 'own'), administer('take', 'own')]).toEqual(['3', '4']);
  administer('vote', 'own', 'c', '4', entry('c'), 'joins');
  administer('remove', 'own', 'c');
  expect(listed()).toEqual([`server.1=${entry('a')}`, `server.2=${entry('b')}`]);
  expect(administer('take', 'own')).toBe('5');
});

test('the number of a removed member is not used again, though no counter was there', () => {
  administer('remove', 'own', 'b');
  expect(administer('take', 'own')).toBe('3');
});

test('no member gets a number over that of a byte', () => {
  write({ own: nodes({ 1: entry('a') }, OLD, 254) });
  expect(administer('take', 'own')).toBe('255');
  expect(() => administer('take', 'own')).toThrow('all 255 numbers');
});

test('a member whose number is that of another one gets no vote, and takes none away', () => {
  expect(() => administer('vote', 'own', 'c', '2', entry('c'), 'joins')).toThrow('the number 2 is that of b');
  administer('remove', 'own', 'c', '2');
  expect(listed()).toEqual([`server.1=${entry('a')}`, `server.2=${entry('b')}`]);
});

test('a former member of the same address loses its vote in the same step', () => {
  administer('vote', 'own', 'b', '3', entry('b'), 'joins');
  expect(listed()).toEqual([`server.1=${entry('a')}`, `server.3=${entry('b')}`]);
});

test('who founds a cluster with the data of a former one gets another identity', () => {
  write({ own: nodes({ 1: entry('a') }, OLD) });
  const group = administer('vote', 'own', 'a', '1', entry('a'), 'founds');
  expect(group).toMatch(/^[0-9a-f-]{36}$/);
  expect(group).not.toBe(OLD);
  expect(administer('vote', 'own', 'a', '1', entry('a'), 'joins')).toBe(group);
});

test('no member joins beside another cluster of the same name', () => {
  write({ own: nodes({ 1: entry('a') }, OLD), 'b:2181': nodes({ 2: entry('b') }, OTHER) });
  expect(() => administer('vote', 'own', 'c', '3', entry('c'), 'joins', 'gone:2181', 'b:2181')).toThrow(
    'b:2181 is of another cluster',
  );
  expect(listed()).toEqual([`server.1=${entry('a')}`]);
});

test('an identity of another form is no identity', () => {
  write({ own: nodes({ 1: entry('a') }, '$(reboot)') });
  expect(() => administer('vote', 'own', 'a', '1', entry('a'), 'joins')).toThrow('has another form');
});

test('another port of a member with a vote is announced, and only of itself', () => {
  administer('announce', 'own', 'b', '2', entry('b', 2999));
  expect(listed()).toEqual([`server.1=${entry('a')}`, `server.2=${entry('b', 2999)}`]);
  expect(() => administer('announce', 'own', 'c', '2', entry('c'))).toThrow('the number 2 is that of b');
  expect(() => administer('announce', 'own', 'c', '3', entry('c'))).toThrow('c is not among the members');
});
