import * as z from 'zod';
import {
  backupFields,
  backupService,
  debianVersions,
  encodeSecret,
  keepArgs,
  lines,
  MANAGED_FILE_HEADER,
  type SecretRef,
  secret,
  secretAs,
  type Text,
} from '../../sdk/index.js';

const BEFORE = '/etc/restic/before';
const KEY = '/etc/restic/ssh-key';
const HEAD = `${MANAGED_FILE_HEADER}\n`;

const config = z
  .strictObject({
    repository: z
      .string()
      .regex(/^(\/|(sftp|s3|rest|b2|azure|gs|swift):)[A-Za-z0-9@._:/+-]+$/, {
        error:
          'a repository is a path, or written as "sftp:user@host:/srv/backup", "s3:https://host/bucket", "rest:https://host/name"',
      })
      .describe('Repository of the backups; created if it does not exist'),
    password: secret().describe('Password that encrypts the repository; without it no backup can be read'),
    environment: z
      .record(
        z.string().regex(/^[A-Z][A-Z0-9_]*$/, { error: 'the name of a variable has capital letters, digits and _' }),
        secret(),
      )
      .default({})
      .describe('Credentials of the repository: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `RESTIC_REST_PASSWORD`'),
    sshKey: secret().optional().describe('Private key for the login at the host of an `sftp:` repository; default: a key of root'),
    before: z
      .string()
      .min(1)
      .max(20_000, 'at most 20000 characters')
      .refine((text) => !text.includes('\0'), { error: 'a script cannot contain a NUL' })
      .optional()
      .describe('Command that bash runs as root before each backup, with `-euo pipefail`; if it fails no backup is made'),
    ...backupFields(),
  })
  .refine(({ repository, sshKey }) => sshKey === undefined || sftpHost(repository) !== undefined, {
    path: ['sshKey'],
    error: 'a key is only for a repository like "sftp:user@host:/srv/backup"',
  })
  .meta({
    examples: [
      { repository: 'sftp:backup@store.example.org:/srv/web-1', password: { generate: 'password' }, paths: ['/etc', '/srv'] },
    ],
  });

type Config = z.output<typeof config>;

/** SSH host of an SFTP repository, as restic passes it to ssh. Undefined for other repositories. */
function sftpHost(repository: string): { user?: string; host: string } | undefined {
  const [, user, host] = /^sftp:(?:\/\/)?(?:([^@/:]+)@)?([^@/:]+)[:/]/.exec(repository) ?? [];
  return host === undefined ? undefined : { ...(user && { user }), host };
}

/** Configuration of root's ssh to that host only, so restic works by hand, too. restic 0.14 has no variable for it. */
function sshConfig({ repository, sshKey }: Config): string | undefined {
  const at = sftpHost(repository);
  if (!at || !sshKey) return undefined;
  return `${HEAD}Match localuser root originalhost ${at.host}${at.user ? ` user ${at.user}` : ''}
  IdentityFile ${KEY}
  IdentitiesOnly yes
  BatchMode yes
  StrictHostKeyChecking accept-new
`;
}

/** Only root can read its files, unless it sets another mode. */
const beforeFile = ({ before }: Config): string | undefined => before && `${HEAD}umask 077\n${before.replace(/\n*$/, '\n')}`;

/** Read by systemd, and by shells. */
function environmentFile({ repository, password, environment }: Config): Text {
  const given: Record<string, string | SecretRef> = {
    RESTIC_REPOSITORY: repository,
    RESTIC_PASSWORD: password,
    RESTIC_CACHE_DIR: '/var/cache/restic',
    ...environment,
  };
  const writtenValue = (value: string | SecretRef) =>
    typeof value === 'string' ? encodeSecret('environment-file', value) : secretAs('environment-file', value);
  return [HEAD, ...Object.entries(given).flatMap(([name, value]) => [`${name}=`, writtenValue(value), '\n'])];
}

/** Backs files up, encrypted, at set times. */
export const restic = backupService<Config>({
  name: 'restic',
  description: 'Backs files up on a schedule, encrypted, to a directory or a remote store.',
  versions: debianVersions({ 12: '0.14', 13: '0.18' }),
  config,
  // A server of the definition that keeps backups has the account for them before it is asked.
  after: ['users'],
  furtherPackages: ['ca-certificates'],
  environment: environmentFile,
  keyPath: KEY,
  files: {
    ssh: { path: '/etc/ssh/ssh_config.d/provisioning-restic.conf', content: sshConfig },
    before: { path: BEFORE, content: beforeFile, mode: '0600' },
    paths: { path: '/etc/restic/paths', content: ({ paths }) => lines(paths) },
  },
  directory: 'CacheDirectory=restic',
  // Programs that it starts as other users are not to be given the secrets of the repository.
  before: ({ before }) =>
    before && `/usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin /bin/bash -euo pipefail ${BEFORE}`,
  commands: (config) => [
    '/usr/bin/restic backup --tag provisioning --exclude-caches --exclude-file /etc/restic/exclude --files-from-verbatim /etc/restic/paths',
    // Other servers keep their backups in the same repository for other spans. restic names a backup's host as uname does.
    `/bin/sh -c 'exec /usr/bin/restic forget --tag provisioning --host "$$(uname -n)" --prune ${keepArgs(config)}'`,
  ],
  open: 'restic cat config >/dev/null 2>&1 || restic init',
});
