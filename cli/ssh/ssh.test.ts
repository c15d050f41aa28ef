import { describe, expect, test } from 'vitest';
import type { Connection } from '../../core/machine/provider.js';
import { locatePublicKey, locateSocket } from './login-files.js';
import { shellOn } from './ssh.js';

const around = { keys: '/keys/w/i', interactive: false };
const ssh: Connection = { kind: 'ssh', address: '127.0.0.1', port: 2201, user: 'root' };
const on = (connection: Connection, words: string[] = [], more = around) => shellOn({ name: 'web-1', connection }, more, words);

describe('a shell on a server', () => {
  test("is the system's ssh with our public key, an agent of our own and the pinned host key", () => {
    const { program, args } = on(ssh);
    expect(program).toBe('ssh');
    expect(args.slice(0, 4)).toEqual(['-p', '2201', '-o', 'IdentityFile=/keys/w/i/id_ed25519.pub']);
    expect(args).toEqual(
      expect.arrayContaining([
        'UserKnownHostsFile=/keys/w/i/known_hosts',
        'StrictHostKeyChecking=yes',
        'HostKeyAlias=web-1',
        `IdentityAgent=${locateSocket('/keys/w/i', 'web-1')}`,
        'IdentitiesOnly=yes',
        'AddKeysToAgent=no',
        'ForwardAgent=no',
        'BatchMode=yes',
      ]),
    );
    expect(args.at(-1)).toBe('root@127.0.0.1');
    expect(on(ssh, [], { ...around, interactive: true }).args).not.toContain('BatchMode=yes');
  });

  test('goes through a jump host, with a key of its own', () => {
    const { args } = on({ ...ssh, identity: '/id', jump: 'a@b:22' });
    // The key file itself is on the worker's machine: ssh gets its public half.
    const key = locatePublicKey('/keys/w/i', '/id');
    expect(args.slice(2, 4)).toEqual(['-o', `IdentityFile=${key}`]);
    expect(args.join(' ')).not.toContain('/id ');
    expect(args.slice(-2)).toEqual(['--', 'root@127.0.0.1']);
    const through = args.at(-3) ?? '';
    expect(through.startsWith(`ProxyCommand=ssh -p 22 -o IdentityFile=${key} `)).toBe(true);
    expect(through).toContain(`IdentityAgent=${locateSocket('/keys/w/i', 'web-1', true)}`);
    expect(through).toMatch(/HostKeyAlias=jump@b:22 .*-W '\[127\.0\.0\.1\]:2201' -- a@b$/);
    expect(locateSocket('/keys/w/i', 'web-1', true)).not.toBe(locateSocket('/keys/w/i', 'web-1'));
  });

  test('one word is a line for the shell there, several arrive as they are', () => {
    expect(on(ssh, ['echo $HOME']).args.slice(-3)).toEqual(['--', 'root@127.0.0.1', 'echo $HOME']);
    expect(on(ssh, ['echo', '$HOME', "it's"]).args.slice(-3)).toEqual(['--', 'root@127.0.0.1', `echo '$HOME' 'it'\\''s'`]);
  });

  test.each([
    ['a user that is an option', { user: '-oProxyCommand=touch /tmp/x' }],
    ['an address that is an option', { address: '-oProxyCommand=touch /tmp/x' }],
    ['an address with a prefix length', { address: '10.0.0.1/24' }],
    ['an address that is none', { address: '300.1.2.3' }],
    ['a jump host that is an option', { jump: '-oProxyCommand=x' }],
    ['two jump hosts', { jump: 'a@b:22,c@d' }],
  ])('%s never reaches ssh', (_, wrong) => {
    expect(() => on({ ...ssh, ...wrong })).toThrow(/^cannot open a shell: .*: it is /);
  });

  test('needs no ssh on this machine, and a machine at all', () => {
    expect(on({ kind: 'this' }, ['id'])).toEqual({ program: 'bash', args: ['-c', 'id'] });
    expect(() => on({ kind: 'demo', account: 'a', server: 's' })).toThrow('no machines');
  });
});
