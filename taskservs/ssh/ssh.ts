import * as z from 'zod';
import { debianVersions, MANAGED_FILE_HEADER, settingsService } from '../../sdk/index.js';

const CONF = '/etc/ssh/sshd_config.d/01-provisioning.conf';

const account = (what: string) =>
  z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}$/, {
    error: `${what} has up to 32 lower-case letters, digits, ".", "-" and "_", and begins with a letter`,
  });

const config = z
  .strictObject({
    passwords: z.boolean().default(false).describe('Whether accounts may log in by password; root never does'),
    root: z.enum(['key', 'never']).default('key').describe('Login method of root'),
    allowUsers: z.array(account('a user')).default([]).describe('Users that may log in, and root if allowed; default: all'),
    allowGroups: z
      .array(account('a group'))
      .default([])
      .describe('Groups whose members may log in, and root if allowed; default: all'),
    maxTries: z.int().min(1).max(20).default(4).describe('Attempts to log in by one connection'),
    forwarding: z.boolean().default(true).describe('Whether TCP forwarding is allowed, which jump hosts need'),
    algorithms: z
      .enum(['strong', 'all'])
      .default('strong')
      .describe('Allowed algorithms: those without known weaknesses, or the defaults of OpenSSH'),
  })
  .refine(({ allowUsers, allowGroups }) => allowUsers.length === 0 || allowGroups.length === 0, {
    path: ['allowGroups'],
    error: 'set allowUsers or allowGroups, not both: with both, a user must be in both lists',
  })
  .meta({ examples: [{ allowGroups: ['staff'], maxTries: 3 }] });

type Config = z.output<typeof config>;

const STRONG = [
  'KexAlgorithms sntrup761x25519-sha512@openssh.com,curve25519-sha256,curve25519-sha256@libssh.org,diffie-hellman-group16-sha512,diffie-hellman-group18-sha512',
  'Ciphers chacha20-poly1305@openssh.com,aes256-gcm@openssh.com,aes128-gcm@openssh.com,aes256-ctr,aes192-ctr,aes128-ctr',
  'MACs hmac-sha2-512-etm@openssh.com,hmac-sha2-256-etm@openssh.com,umac-128-etm@openssh.com',
];

const yesNo = (on: boolean) => (on ? 'yes' : 'no');

function sshdConf({ passwords, root, allowUsers, allowGroups, maxTries, forwarding, algorithms }: Config): string {
  // Root is how the platform reaches most hosts.
  const allowed = (keyword: string, names: string[]) =>
    names.length === 0 ? [] : [`${keyword} ${[...new Set([...(root === 'key' ? ['root'] : []), ...names])].join(' ')}`];
  return [
    MANAGED_FILE_HEADER,
    'PubkeyAuthentication yes',
    `PasswordAuthentication ${yesNo(passwords)}`,
    'KbdInteractiveAuthentication no',
    'PermitEmptyPasswords no',
    `PermitRootLogin ${root === 'key' ? 'prohibit-password' : 'no'}`,
    ...allowed('AllowUsers', allowUsers),
    ...allowed('AllowGroups', allowGroups),
    `MaxAuthTries ${maxTries}`,
    `AllowTcpForwarding ${yesNo(forwarding)}`,
    'X11Forwarding no',
    ...(algorithms === 'strong' ? STRONG : []),
    '',
  ].join('\n');
}

/** Users and methods of logins by SSH. */
export const ssh = settingsService({
  name: 'ssh',
  category: 'system',
  holds: [],
  description: 'Login by SSH: users and methods.',
  versions: debianVersions({ 12: '9.2', 13: '10.0' }),
  supports: { os: ['debian'] },
  config,
  package: 'openssh-server',
  unit: 'ssh',
  // Restarted: after a reload the next connection may still meet the former settings. Open connections stay either way.
  files: { conf: { path: CONF, content: sshdConf } },
  check: 'sshd -t',
  confirmSeconds: 30,
  health: ({ passwords, root }) => [
    {
      title: 'sshd has the settings',
      // Files that are read before it, or the main one, may say otherwise: the first value counts.
      command: `sshd -T -C user=root,host=localhost,addr=127.0.0.1 | grep -cx -e 'passwordauthentication ${yesNo(passwords)}' -e 'permitrootlogin ${root === 'key' ? '\\(without\\|prohibit\\)-password' : 'no'}'`,
      expect: '2',
    },
    { title: 'sshd answers', command: 'systemctl is-active ssh', expect: 'active' },
  ],
});
