import * as z from 'zod';
import {
  absolutePath,
  addressesOf,
  debianVersions,
  type ListenAddress,
  listeningOn,
  MANAGED_FILE_HEADER,
  packageService,
  port,
  secret,
  sh,
} from '../../sdk/index.js';
import { contentSteps, contentsFact, GROUP } from './contents.js';

const CONF = '/etc/samba/smb.conf';
const SHARES = '/etc/samba/shares.conf';

const accountName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, {
    error: 'the name of an account has up to 32 lower-case letters, digits, _ and -, and begins with a letter',
  })
  .refine((text) => text !== 'root', { error: 'root cannot be an account of samba' });

const share = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,30}$/, { error: 'the name of a share has up to 31 letters, digits, _ and -' })
    .refine((text) => !['global', 'homes', 'printers'].includes(text.toLowerCase()), {
      error: 'samba reserves this name',
    })
    .describe('Name of the share'),
  path: absolutePath().describe('Folder; created if it does not exist'),
  accounts: z.array(accountName).min(1).optional().describe('Accounts with access; default: all'),
  readOnly: z.boolean().default(false).describe('Whether the share is read-only'),
});

const config = z
  .strictObject({
    port: port(445).describe('TCP port'),
    accounts: z
      .array(z.strictObject({ name: accountName.describe('Account'), password: secret().describe('Its password') }))
      .refine((accounts) => new Set(accounts.map(({ name }) => name)).size === accounts.length, {
        error: 'each account may be listed only once',
      })
      .default([])
      .describe('Accounts; without accounts it listens only on loopback. An account that is no longer named reaches no share'),
    shares: z
      .array(share)
      .refine((shares) => new Set(shares.map(({ name }) => name.toLowerCase())).size === shares.length, {
        error: 'each share may be listed only once',
      })
      .default([])
      .describe('Shared folders'),
  })
  .refine(({ accounts, shares }) => accounts.length > 0 || shares.length === 0, {
    path: ['shares'],
    error: 'without accounts no client can use a share: set accounts',
  })
  .refine(
    ({ accounts, shares }) =>
      shares.every((share) => share.accounts?.every((name) => accounts.some((account) => account.name === name)) ?? true),
    { path: ['shares'], error: 'the users of a share must be in accounts' },
  )
  .meta({
    examples: [
      {
        accounts: [{ name: 'ann', password: { generate: 'password' } }],
        shares: [{ name: 'documents', path: '/srv/documents' }],
      },
    ],
  });

type Config = z.output<typeof config>;

function conf({ port }: Config, listening: ListenAddress): string {
  const addresses = addressesOf(listening);
  const settings = [
    'server role = standalone server',
    // Neither names of NetBIOS nor printers: nmbd does not run.
    'disable netbios = yes',
    'load printers = no',
    'printcap name = /dev/null',
    'disable spoolss = yes',
    `smb ports = ${port}`,
    ...(addresses ? [`interfaces = ${addresses.join(' ')}`, 'bind interfaces only = yes'] : []),
    'server min protocol = SMB3_00',
    'server smb encrypt = desired',
    'map to guest = never',
    'restrict anonymous = 2',
    'usershare max shares = 0',
    'logging = systemd',
    `include = ${SHARES}`,
  ];
  return `${MANAGED_FILE_HEADER}\n[global]\n${settings.map((setting) => `  ${setting}\n`).join('')}`;
}

function sharesConf({ accounts, shares }: Config): string {
  const sections = shares.map((share) => {
    const who = share.accounts ?? accounts.map(({ name }) => name);
    return `[${share.name}]
  path = ${share.path}
  valid users = ${who.join(' ')}
  read only = ${share.readOnly ? 'yes' : 'no'}
  force group = ${GROUP}
  create mask = 0660
  directory mask = 2770
`;
  });
  return `${MANAGED_FILE_HEADER}\n${sections.join('')}`;
}

/** Shares folders with Windows, macOS and Linux. */
export const samba = packageService<Config>({
  name: 'samba',
  category: 'storage',
  holds: ({ shares }) => shares.map(({ path }) => path),
  description: 'Shares folders with Windows, macOS and Linux, by SMB.',
  versions: debianVersions({ 12: '4.17', 13: '4.22' }),
  supports: { os: ['debian'] },
  after: ['users'],
  config,
  endpoints: ({ port, accounts }) => [{ name: 'smb', port, local: accounts.length === 0 }],
  // By python3-samba passwords are compared; from Debian 13 on nothing else brings it.
  furtherPackages: ['smbclient', 'python3-samba'],
  unit: 'smbd',
  listens: ({ accounts }, context) => (accounts.length > 0 ? listeningOn('samba', 'smb', context) : 'loopback'),
  files: {
    // Clients stay connected when a share changes.
    shares: { path: SHARES, content: sharesConf, reload: true },
    conf: { path: CONF, content: (config, { listening }) => conf(config, listening) },
  },
  check: sh`testparm -s ${CONF} >/dev/null`,
  contents: { fact: contentsFact, steps: contentSteps },
  health: ({ port, accounts: [first] }) =>
    first
      ? [
          {
            title: 'samba lets an account in',
            command: sh`smbclient -p ${port} -g -L 127.0.0.1`,
            expect: 'IPC|IPC$',
            env: { USER: first.name, PASSWD: [first.password] },
          },
        ]
      : [{ title: 'samba listens', tcp: port }],
});
