import * as z from 'zod';
import {
  backupFields,
  backupService,
  debianVersions,
  keepArgs,
  MANAGED_FILE_HEADER,
  secret,
  secretAs,
  type Text,
  text,
} from '../../sdk/index.js';

const KEY = '/etc/borg/key';
const HEAD = `${MANAGED_FILE_HEADER}\n`;

/**
 * Pattern of the archives of this server in a shared repository. Borg replaces the host name. Only a date may follow:
 * `provisioning-db-*` would also be the archives of `db-2`.
 */
const ARCHIVES = 'provisioning-{hostname}-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*';

const config = z
  .strictObject({
    repository: z
      .string()
      .regex(/^(\/|ssh:\/\/)[A-Za-z0-9@._:/+~-]+$/, {
        error: 'a repository is a path, or written as "ssh://user@host:22/srv/backup"',
      })
      .describe('Repository of the backups; created if it does not exist'),
    password: secret().describe('Passphrase that encrypts the repository; without it no backup can be read'),
    sshKey: secret().optional().describe('Private key for the login at the other host; default: a key of root'),
    ...backupFields(),
  })
  .meta({
    examples: [
      { repository: 'ssh://backup@store.example.org/./web-1', password: { generate: 'password' }, paths: ['/etc', '/srv'] },
    ],
  });

type Config = z.output<typeof config>;

/** Read by systemd, and by shells. */
function environmentFile({ repository, password, sshKey }: Config): Text {
  const key = sshKey ? ` -i ${KEY} -o IdentitiesOnly=yes` : '';
  return text`${HEAD}BORG_REPO='${repository}'
BORG_PASSPHRASE=${secretAs('environment-file', password)}
BORG_RSH='ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new${key}'
BORG_BASE_DIR='/var/lib/borg'
`;
}

/** Backs files up, encrypted and without duplicates, at set times. */
export const borg = backupService({
  name: 'borg',
  description: 'Backs files up on a schedule, encrypted and deduplicated, to a directory or to a host by SSH.',
  versions: debianVersions({ 12: '1.2', 13: '1.4' }),
  config,
  package: 'borgbackup',
  environment: environmentFile,
  keyPath: KEY,
  directory: 'StateDirectory=borg',
  commands: (config) => [
    `/usr/bin/borg create --compression zstd --exclude-caches --exclude-from /etc/borg/exclude ::provisioning-{hostname}-{now} ${config.paths.join(' ')}`,
    `/usr/bin/borg prune --glob-archives ${ARCHIVES} ${keepArgs(config)}`,
    '/usr/bin/borg compact',
  ],
  open: `mkdir -p -m 0700 "$BORG_BASE_DIR"
borg info >/dev/null 2>&1 || borg init --encryption repokey-blake2 --make-parent-dirs`,
});
