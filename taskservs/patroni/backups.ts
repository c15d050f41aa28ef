import {
  debian,
  ensureFile,
  ensureNoFile,
  ensurePackage,
  ensureService,
  type FoundFacts,
  file,
  type HealthCheck,
  MANAGED_FILE_HEADER,
  type Step,
  secretAs,
  systemd,
  type Text,
  text,
  timerFile,
} from '../../sdk/index.js';
import { backupProgram } from './backup-program.js';
import { type Backups, parseBucket } from './backups-config.js';
import { BACKUP_CONF, locateData } from './places.js';

const AUTHORITY = '/etc/patroni/pgbackrest-authority.pem';
/** A program for the platform, for the timer and for administrators. */
const BACKUP_PROGRAM = '/usr/local/sbin/provisioning-pgbackrest';
const UNIT = 'provisioning-pgbackrest';
const SERVICE = `/etc/systemd/system/${UNIT}.service`;
const TIMER = `/etc/systemd/system/${UNIT}.timer`;

const HEAD = `${MANAGED_FILE_HEADER}\n`;

/** Facts of the backups: they are looked up without backups as well, because backups may end. */
export const BACKUP_FACTS = {
  backrest: debian('pgbackrest'),
  backupConf: file(BACKUP_CONF),
  backupAuthority: file(AUTHORITY),
  backupProgram: file(BACKUP_PROGRAM),
  backupService: file(SERVICE),
  backupTimer: file(TIMER),
  backupUnit: systemd(`${UNIT}.timer`, [TIMER, SERVICE]),
};

const FILES = ['backupConf', 'backupAuthority', 'backupProgram', 'backupService', 'backupTimer'] as const;

/** What a file of the backups has, and who may read it. */
interface BackupFile {
  content: Text;
  mode?: string;
  owner?: string;
}

/** Returns the content of each file, by its fact. Undefined for a file that must not exist. */
function backupFiles(
  backups: Backups | undefined,
  at: { cluster: string; version: string; port: number },
): Record<(typeof FILES)[number], BackupFile | undefined> {
  const own = { mode: '0640', owner: 'root:postgres' };
  return {
    backupConf: backups && { content: pgbackrestConf(backups, at), ...own },
    backupAuthority: backups?.authority && { content: [backups.authority, '\n'], ...own },
    backupProgram: backups && { content: `#!/usr/bin/python3\n${HEAD}${backupProgram(backups.fullDays)}\n`, mode: '0755' },
    backupService: backups && { content: `${HEAD}${SERVICE_TEXT}` },
    backupTimer: backups && {
      // Soon after its begin, too: a member that hands over its lead for its restart begins no repository.
      content:
        HEAD +
        timerFile('Back up PostgreSQL by pgbackrest at set times', backups.schedule, { delay: '10m' }).replace(
          '[Timer]\n',
          '[Timer]\nOnActiveSec=5min\n',
        ),
    },
  };
}

const SERVICE_TEXT = `[Unit]
Description=Back up PostgreSQL by pgbackrest, on the member that leads
Wants=network-online.target
After=network-online.target patroni.service

[Service]
Type=oneshot
ExecStart=${BACKUP_PROGRAM} make
Nice=10
IOSchedulingClass=idle
NoNewPrivileges=yes
PrivateTmp=yes
`;

function pgbackrestConf(backups: Backups, { cluster, version, port }: { cluster: string; version: string; port: number }): Text {
  const bucket = parseBucket(backups.repository);
  const parts: Text[] = [
    MANAGED_FILE_HEADER,
    '[global]',
    `repo1-path=${bucket ? bucket.path : backups.repository}`,
    'repo1-cipher-type=aes-256-cbc',
    text`repo1-cipher-pass=${secretAs('line', backups.password)}`,
    `repo1-retention-full=${backups.keep}`,
    // Many small files take one request each otherwise.
    'repo1-bundle=y',
    'process-max=2',
    ...(bucket
      ? [
          'repo1-type=s3',
          `repo1-s3-bucket=${bucket.bucket}`,
          `repo1-s3-endpoint=${bucket.host}`,
          `repo1-s3-region=${backups.region}`,
          'repo1-s3-uri-style=path',
          `repo1-storage-port=${bucket.port}`,
          ...(backups.accessKey ? [text`repo1-s3-key=${secretAs('line', backups.accessKey)}`] : []),
          ...(backups.secretKey ? [text`repo1-s3-key-secret=${secretAs('line', backups.secretKey)}`] : []),
          ...(backups.authority ? [`repo1-storage-ca-file=${AUTHORITY}`] : []),
        ]
      : []),
    // A backup begins at once: the next checkpoint may be minutes away.
    'start-fast=y',
    'compress-type=zst',
    'log-level-console=warn',
    'log-level-file=off',
    `[${cluster}]`,
    `pg1-path=${locateData(version)}`,
    `pg1-port=${port}`,
    'pg1-socket-path=/var/run/postgresql',
  ];
  return text`${parts.flatMap((line) => text`${line}\n`)}`;
}

/** Parameters of PostgreSQL that send the write-ahead log to the repository: at the latest after a minute. */
export const archiveParameters = (backups: Backups | undefined, cluster: string): Record<string, string> =>
  backups === undefined
    ? {}
    : {
        archive_mode: 'on',
        archive_command: `pgbackrest --config=${BACKUP_CONF} --stanza=${cluster} archive-push "%p"`,
        archive_timeout: '60s',
      };

/** Opens the repository from each member, and begins it on the member that leads. */
export const openRepository: Step = {
  title: 'Open the repository of the backups',
  run: `${BACKUP_PROGRAM} prepare`,
  undo: ':',
  keepsServing: true,
};

type FoundBackups = FoundFacts<typeof BACKUP_FACTS>;

/** Files of the backups, before PostgreSQL is told to archive its log. */
export function ensureBackupFiles(
  backups: Backups | undefined,
  found: FoundBackups,
  at: { cluster: string; version: string; port: number },
): Step[] {
  const files = backupFiles(backups, at);
  return [
    ...(backups ? ensurePackage(found.backrest) : []),
    ...FILES.flatMap((name) => {
      const wanted = files[name];
      if (wanted) return ensureFile(found[name], wanted);
      return backups ? ensureNoFile(found[name]) : [];
    }),
  ];
}

/** Starts or ends the timer. PostgreSQL archives its log at that moment, or no longer does. */
export function ensureBackupTimer(backups: Backups | undefined, found: FoundBackups, before: Step[]): Step[] {
  if (!backups)
    return [
      ...ensureService(found.backupUnit, { state: 'stopped', enabled: false }),
      ...FILES.flatMap((name) => ensureNoFile(found[name])),
    ];
  return [
    ...(before.length > 0 ? [openRepository] : []),
    ...ensureService(found.backupUnit, { state: 'running', enabled: true, reads: [TIMER, SERVICE] }, before),
  ];
}

/** Checks of the backups. */
export const backupHealth = (backups: Backups | undefined): HealthCheck[] =>
  backups
    ? [
        { title: 'backups are made at set times', command: `systemctl is-active ${UNIT}.timer`, expect: 'active' },
        { title: 'the repository of the backups has begun', command: `${BACKUP_PROGRAM} begun`, expect: 'begun' },
        { title: 'the log of PostgreSQL reaches the repository', command: `${BACKUP_PROGRAM} archived`, expect: 'archived' },
        { title: 'the last backup did not fail', command: `systemctl show -p Result --value ${UNIT}.service`, expect: 'success' },
      ]
    : [];
