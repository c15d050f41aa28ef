import { expect, test } from 'vitest';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { fakeLogins } from '../fake-logins.js';
import { runLine } from '../fake-run.js';
import { inventoryNamed } from '../fake-session.js';

const CLOSED = { kind: 'ssh', address: '127.0.0.1', port: 1, user: 'root' };
const server = (name: string, connection: object, more: object = {}) =>
  ({ name, connection, spec: { group: name, role: 'all' }, services: {}, ...more }) as unknown as InventoryServer;
const serversOf = (...servers: InventoryServer[]): Inventory => ({
  ...inventoryNamed('shop'),
  servers: Object.fromEntries(servers.map((one) => [one.name, one])),
});
const HERE = [server('a', { kind: 'this' }), server('b', { kind: 'this' })];

const exec = (line: string, ...servers: InventoryServer[]) =>
  runLine(`exec ${line}`, {
    client: {
      'infras.list': async () => ['shop'],
      'infras.inventory': async () => serversOf(...servers),
      'servers.login': fakeLogins.login,
    },
  });

test('what printed the same is shown once, and the end says how many', async () => {
  expect(await exec('all -- echo hello', ...HERE)).toMatchObject({
    code: 0,
    out: '── a, b\nhello\n2 servers: 2 done\n',
  });
});

test('a command that fails is 1, a server that is not reached 3, and neither hides the other', async () => {
  expect(await exec('all -- false', ...HERE)).toMatchObject({
    code: 1,
    out: '── a, b  exit code 1\n2 servers: 0 done, 2 failed (a, b)\n',
  });
  const { code, out } = await exec('all -- false', server('a', { kind: 'this' }), server('far', CLOSED));
  expect(code).toBe(3);
  expect(out).toMatch(/^── a {2}exit code 1\n── far {2}not reached: .*: Connection refused\n/);
  expect(out).toMatch(/\n2 servers: 0 done, 1 failed \(a\), 1 not reached \(far\)\n$/);
});

test('a server that is switched off is not waited for', async () => {
  const off = server('off', CLOSED, { stopped: 'op' });
  expect(await exec('off -- true', off)).toMatchObject({ code: 3, out: '── off  not reached: it is switched off\n' });
});

test('what a host prints moves and colours nothing', async () => {
  const { out } = await exec('a -- printf \\033]0;x\\007\\033[31mred\\r\\nend', ...HERE);
  expect(out).toBe('── a\n\\u001b]0;x\\u0007\\u001b[31mred\nend\n');
});

test('time that is over is a failure, and says that it may go on there', async () => {
  const { code, out } = await exec('a --timeout 1 -- sleep 20', ...HERE);
  expect([code, out]).toEqual([1, '── a  no end within 1 s: the remote command may continue\n']);
});

test('--json has each server with its exit code and streams', async () => {
  const { code, out } = await exec('all --json -- uname', ...HERE, server('far', CLOSED));
  expect(code).toBe(3);
  expect(JSON.parse(out)).toEqual({
    infra: 'shop',
    servers: [
      { server: 'a', exit: 0, stdout: 'Linux\n', stderr: '', reached: true },
      { server: 'b', exit: 0, stdout: 'Linux\n', stderr: '', reached: true },
      { server: 'far', exit: null, stdout: '', stderr: '', reached: false, why: expect.stringContaining('refused') },
    ],
  });
});

test('output beyond what is kept is said to be cut', async () => {
  const { out } = await exec('a -- head -c 300000 /dev/zero', ...HERE);
  expect(out.length).toBeGreaterThan(256 * 1024);
  expect(out).toMatch(/\n… cut here: 378\d\d bytes more\n$/);
});

test.each([
  ['without a command', 'all', HERE, /the command is missing: write it after --/],
  ['on a server without a machine', 'sim -- true', [server('sim', { kind: 'demo' })], /no machines/],
])('%s it is bad input', async (_, line, servers, says) => {
  const { code, err } = await exec(line, ...servers);
  expect([code, err]).toEqual([2, expect.stringMatching(says)]);
});
