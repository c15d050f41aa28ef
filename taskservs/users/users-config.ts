import * as z from 'zod';
import { absolutePath, line, type SecretRef, SSH_PUBLIC_KEY, secret } from '../../sdk/index.js';

const NAME = /^[a-z_][a-z0-9_.-]{0,31}$/;
const name = z
  .string()
  .regex(NAME, { error: 'a name has up to 32 lower-case letters, digits, ".", "-" and "_", and begins with a letter' });
const absolute = absolutePath();

const key = z
  .string()
  .regex(SSH_PUBLIC_KEY, { error: 'a public key is one line like in id_ed25519.pub: "ssh-ed25519 AAAA… comment"' });

const ofKey = z.union([key, secret()]);

/** A key, or one with what sshd is to keep it to. */
const entry = z.union([
  key,
  secret(),
  z.strictObject({
    key: ofKey.describe('Public key'),
    options: line(1000).min(1).describe('Restrictions, as in `authorized_keys`: `restrict,command="internal-sftp"`'),
  }),
]);

const user = z.strictObject({
  name: name
    .refine((text) => text !== 'root', { error: 'the platform logs in as root, so root cannot be managed' })
    .describe('Login name'),
  state: z.enum(['present', 'absent']).default('present').describe('`absent` deletes the account, never its home directory'),
  groups: z.array(name).default([]).describe('Further groups; missing groups are created, other memberships stay'),
  shell: absolute.optional().describe('Login shell; default: /bin/bash for a new account, otherwise unchanged'),
  home: absolute.optional().describe('Home directory; default: /home/NAME for a new account, otherwise unchanged'),
  sudo: z.boolean().default(false).describe('Whether it may become root with sudo, without a password (it has none)'),
  authorizedKeys: z.array(entry).default([]).describe('Public SSH keys that may log in; keys that were added by hand stay'),
});

export const usersConfig = z
  .strictObject({
    users: z
      .array(user)
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, {
        error: 'each user may be listed only once',
      })
      .default([])
      .describe('Accounts; an account from here that is no longer named is deleted, its home stays'),
  })
  .meta({
    examples: [
      {
        users: [
          {
            name: 'ann',
            groups: ['adm'],
            sudo: true,
            authorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleExam ann@example.org'],
          },
        ],
      },
    ],
  });

export type UsersConfig = z.output<typeof usersConfig>;
export type User = UsersConfig['users'][number];

/** Key, with its options if its use is restricted. */
export const keyOf = (entry: User['authorizedKeys'][number]): { options?: string; key: string | SecretRef } =>
  typeof entry === 'string' || '$secret' in entry ? { key: entry } : entry;

/** The home as the definition says it, else as the account has it, else the one that it is made with. */
export const homeOf = (user: User, account?: { home: string }): string => user.home ?? account?.home ?? `/home/${user.name}`;

/** Path of the keys: below the home that the account has, unless the definition declares another home. */
export const keysPathOf = (user: User): string => `${user.home ?? `~${user.name}`}/.ssh/authorized_keys`;
