import * as z from 'zod';
import {
  absolutePath,
  calendar,
  debianVersions,
  keptBackups,
  line,
  MANAGED_FILE_HEADER,
  packageService,
  secret,
  secretAs,
  type Text,
  text,
  timerFile,
} from '../../sdk/index.js';

const ENVIRONMENT = '/etc/borg/environment';
const KEY = '/etc/borg/key';
const HEAD = `${MANAGED_FILE_HEADER}\n`;

const config = z
  .strictObject({
    repository: z
      .string()
      .regex(/^(\/|ssh:\/\/)[A-Za-z0-9@._:/+~-]+$/, { error: 'a repository is a path, or as "ssh://user@host:22/srv/backup"' })
      .describe('Repository of the backups; created if it does not exist'),
    password: secret().describe('Passphrase that encrypts the repository; without it no backup can be read'),
    sshKey: secret().optional().describe('Private key for the login at the other host; default: a key of root'),
    paths: z.array(absolutePath()).min(1).describe('Files and directories to back up'),
    exclude: z.array(line().min(1)).default([]).describe('Patterns to exclude, such as `*.tmp`'),
    schedule: calendar().default('daily').describe('Time of backups, in the format of systemd: `daily`, `*-*-* 03:30`'),
    keep: keptBackups().describe('Backups to keep'),
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

function service({ paths, keep }: Config): string {
  const kept = Object.entries(keep).flatMap(([span, count]) => (count > 0 ? [`--keep-${span} ${count}`] : []));
  return `${HEAD}[Unit]
Description=Back up by borg
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
EnvironmentFile=${ENVIRONMENT}
StateDirectory=borg
ExecStart=/usr/bin/borg create --compression zstd --exclude-caches --exclude-from /etc/borg/exclude ::provisioning-{hostname}-{now} ${paths.join(' ')}
ExecStart=/usr/bin/borg prune --glob-archives provisioning-{hostname}-* ${kept.join(' ')}
ExecStart=/usr/bin/borg compact
Nice=10
IOSchedulingClass=idle
NoNewPrivileges=yes
PrivateTmp=yes
`;
}

const timer = ({ schedule }: Config): string => HEAD + timerFile('Back up by borg at set times', schedule, { delay: '10m' });

/** Backs files up, encrypted and without duplicates, at set times. */
export const borg = packageService({
  name: 'borg',
  category: 'backup',
  holds: ({ repository }) => (repository.startsWith('/') ? [repository] : []),
  description: 'Backs files up at set times, encrypted and deduplicated, to a directory or to a host by SSH.',
  versions: debianVersions({ 12: '1.2', 13: '1.4' }),
  supports: { os: ['debian'] },
  config,
  package: 'borgbackup',
  unit: 'borg.timer',
  files: {
    environment: { path: ENVIRONMENT, content: environmentFile, mode: '0600' },
    key: { path: KEY, content: ({ sshKey }) => sshKey && text`${sshKey}\n`, mode: '0600' },
    exclude: { path: '/etc/borg/exclude', content: ({ exclude }) => exclude.map((pattern) => `${pattern}\n`).join('') },
    service: { path: '/etc/systemd/system/borg.service', content: service },
    timer: { path: '/etc/systemd/system/borg.timer', content: timer },
  },
  // A repository that cannot be reached, or has another passphrase, is told now and not at night. How the last
  // backup ended is told no more once it would be made otherwise: the cause may be repaired by this very change.
  check: `set -a
. ${ENVIRONMENT}
mkdir -p -m 0700 "$BORG_BASE_DIR"
borg info >/dev/null 2>&1 || borg init --encryption repokey-blake2 --make-parent-dirs
systemctl reset-failed borg.service 2>/dev/null || true`,
  health: () => [
    { title: 'backups are made at set times', command: 'systemctl is-active borg.timer', expect: 'active' },
    { title: 'the last backup did not fail', command: 'systemctl show -p Result --value borg.service', expect: 'success' },
  ],
});
