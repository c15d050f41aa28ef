import type * as z from 'zod';
import type { Facts } from '../../core/host/facts.js';
import { calendar, createKeptBackupsSchema } from '../../core/schema/schedule.js';
import { absolutePath, line } from '../../core/schema/text-fields.js';
import { MANAGED_FILE_HEADER } from '../../core/taskserv/managed-file-header.js';
import type { SecretRef, Text } from '../../core/taskserv/secret.js';
import type { Taskserv } from '../../core/taskserv/taskserv.js';
import { timerFile } from '../../core/taskserv/unit-texts.js';
import { type PackageService, packageService, type ServiceFile } from './package.js';

const HEAD = `${MANAGED_FILE_HEADER}\n`;

/** Returns the fields that the configuration of every backup taskserv has. */
export const backupFields = () => ({
  paths: absolutePath().array().min(1).describe('Files and directories to back up'),
  exclude: line().min(1).array().default([]).describe('Patterns to exclude, such as `*.tmp`'),
  schedule: calendar().default('daily').describe('Time of backups, in the format of systemd: `daily`, `*-*-* 03:30`'),
  keep: createKeptBackupsSchema().describe('Backups to keep'),
});

type Fields = { [K in keyof ReturnType<typeof backupFields>]: z.output<ReturnType<typeof backupFields>[K]> };

interface BackupConfig extends Fields {
  /** Path, or address of a remote repository. */
  repository: string;
  sshKey?: SecretRef | undefined;
}

/** Returns the retention arguments of borg and restic. */
export const keepArgs = ({ keep }: Pick<Fields, 'keep'>): string =>
  Object.entries(keep)
    .flatMap(([span, count]) => (count > 0 ? [`--keep-${span} ${count}`] : []))
    .join(' ');

/** Returns the content of a file with these lines. */
export const lines = (all: readonly string[]): string => all.map((one) => `${one}\n`).join('');

type Described = 'name' | 'overrides' | 'description' | 'versions' | 'config' | 'after' | 'package' | 'furtherPackages';

/** Program that backs up files to a repository on a schedule. */
export interface BackupService<C extends BackupConfig> extends Pick<PackageService<C>, Described> {
  /**
   * File of environment variables with which the program finds and opens its repository. Systemd and shells read it.
   */
  environment(config: C): Text;
  /** Path of the private key for the login at another host. */
  keyPath: string;
  /** Further files of the program. */
  files?: Readonly<Record<string, ServiceFile<NoInfer<C>>>>;
  /** Lines of its unit that create its own directory. */
  directory: string;
  /** Command line that runs first; if it fails, no backup is made. */
  before?(config: C): string | undefined;
  /** Command lines that make a backup and remove expired backups. */
  commands(config: C): readonly string[];
  /** Opens or creates the repository, with the variables of its environment. */
  open: string;
}

/**
 * Creates a taskserv of the kind *backup*: a package service with a timer that writes encrypted backups to a
 * repository.
 *
 * A repository that cannot be reached, or a wrong password, fails the check of the plan, not the backup at night.
 * Removal keeps all backups.
 */
export function backupService<C extends BackupConfig>(kind: BackupService<C>): Taskserv<C, Facts> {
  const { environment, keyPath, files = {}, directory, before, commands, open, ...service } = kind;
  const { name } = kind;
  const environmentPath = `/etc/${name}/environment`;

  function unit(config: C): string {
    const first = before?.(config);
    return `${HEAD}[Unit]
Description=Back up by ${name}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
EnvironmentFile=${environmentPath}
${directory}
${first === undefined ? '' : `ExecStartPre=${first}\n`}${lines(commands(config).map((command) => `ExecStart=${command}`))}Nice=10
IOSchedulingClass=idle
NoNewPrivileges=yes
PrivateTmp=yes
`;
  }

  return packageService<C>({
    category: 'backup',
    holds: ({ repository }) => (repository.startsWith('/') ? [repository] : []),
    supports: { os: ['debian'] },
    ...service,
    unit: `${name}.timer`,
    files: {
      environment: { path: environmentPath, content: environment, mode: '0600' },
      key: { path: keyPath, content: ({ sshKey }) => sshKey && [sshKey, '\n'], mode: '0600' },
      ...files,
      exclude: { path: `/etc/${name}/exclude`, content: ({ exclude }) => lines(exclude) },
      service: { path: `/etc/systemd/system/${name}.service`, content: unit },
      timer: {
        path: `/etc/systemd/system/${name}.timer`,
        content: ({ schedule }) => HEAD + timerFile(`Back up by ${name} at set times`, schedule, { delay: '10m' }),
      },
    },
    // Reset the result of the last backup when the configuration changes: this change may fix the cause.
    check: `set -a
. ${environmentPath}
${open}
systemctl reset-failed ${name}.service 2>/dev/null || true`,
    health: () => [
      { title: 'backups are made at set times', command: `systemctl is-active ${name}.timer`, expect: 'active' },
      { title: 'the last backup did not fail', command: `systemctl show -p Result --value ${name}.service`, expect: 'success' },
    ],
  });
}
