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

/** The fields that the configuration of every kind of backup has. */
export const backupFields = () => ({
  paths: absolutePath().array().min(1).describe('Files and directories to back up'),
  exclude: line().min(1).array().default([]).describe('Patterns to exclude, such as `*.tmp`'),
  schedule: calendar().default('daily').describe('Time of backups, in the format of systemd: `daily`, `*-*-* 03:30`'),
  keep: createKeptBackupsSchema().describe('Backups to keep'),
});

type Fields = { [K in keyof ReturnType<typeof backupFields>]: z.output<ReturnType<typeof backupFields>[K]> };

interface BackupConfig extends Fields {
  /** A path, or how a repository elsewhere is named. */
  repository: string;
  sshKey?: SecretRef | undefined;
}

/** Which backups a program keeps, as borg and restic are told it. */
export const keepArgs = ({ keep }: Pick<Fields, 'keep'>): string =>
  Object.entries(keep)
    .flatMap(([span, count]) => (count > 0 ? [`--keep-${span} ${count}`] : []))
    .join(' ');

/** A file of lines. */
export const lines = (all: readonly string[]): string => all.map((one) => `${one}\n`).join('');

type Described = 'name' | 'overrides' | 'description' | 'versions' | 'config' | 'after' | 'package' | 'furtherPackages';

/** A program that backs files up into a repository at set times. */
export interface BackupService<C extends BackupConfig> extends Pick<PackageService<C>, Described> {
  /** The file of variables by which the program finds and opens its repository; read by systemd, and by shells. */
  environment(config: C): Text;
  /** Where the private key for the login at another host is. */
  keyPath: string;
  /** Further files of it. */
  files?: Readonly<Record<string, ServiceFile<NoInfer<C>>>>;
  /** The lines of its unit that give it a directory of its own. */
  directory: string;
  /** A command line that runs first; if it fails no backup is made. */
  before?(config: C): string | undefined;
  /** The command lines that make a backup and remove those that are not kept any more. */
  commands(config: C): readonly string[];
  /** Opens the repository, or creates it, with the variables of its environment. */
  open: string;
}

/**
 * A taskserv of the kind *backup*: a package service with a timer that backs files up, encrypted, into a repository.
 *
 * A repository that cannot be reached, or has another password, fails the plan's check, not the backup at night.
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
    // How the last backup ended is told no more once it would be made otherwise: this very change may repair the cause.
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
