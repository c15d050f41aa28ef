import { findInventory } from '../../../authoring/request/which-infra.js';
import { inputError } from '../../../core/errors.js';
import { quote } from '../../../core/host/shell.js';
import type { Inventory, InventoryServer } from '../../../core/infra/inventory.js';
import { isRecord } from '../../../definition/source/salvage.js';
import type { Session } from '../../program/session.js';
import { parseAskedScript } from '../../ssh/asked-script.js';
import { runUntilSignal } from '../../ssh/ended-by-signals.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { type HostRun, runOnAll } from '../../ssh/run-on-all.js';
import { type KeptOutput, MOST_OUTPUT } from '../../ssh/run-there.js';
import { shellOn } from '../../ssh/ssh.js';

/** A backup in the repository of a server. */
export interface KeptBackup {
  id: string;
  /** ISO 8601. */
  time: string;
  paths: string[];
}

/** A program that backs servers up. */
export interface BackupProgram {
  name: string;
  /** Unit of systemd that makes a backup, if it has another name. */
  unit?: string;
  /** Whether a server has it. Default: the server has the taskserv of this name. */
  isOn?(server: InventoryServer): boolean;
  /**
   * Returns a script that prints the backups of its server as JSON.
   *
   * @param isNewest whether only the newest ones are needed
   */
  list(isNewest: boolean): string;
  /**
   * Returns the backups in that text. Entries that are not backups are left out: a host's output is data. Undefined if
   * the text is not a list, or if it has entries and none can be read.
   */
  read(text: string): KeptBackup[] | undefined;
  /** Writes the files of a backup below the current folder. */
  restore(id: string): string;
  /** Writes the state of a moment into a new folder, instead of a backup. Its servers have the same data. */
  moment?: {
    /** Begin of the folder's path. */
    folder: string;
    /** @param time ISO 8601, or `newest` for the newest backup */
    restore(time: string, folder: string): string;
  };
}

const open = (name: string) => `set -a\n. /etc/${name}/environment\nset +a`;

/** Folder on a server for restored files. Only root can read it. */
export const RESTORE_FOLDER = '/var/restored';

/**
 * Pattern of the archives of a server. Borg replaces the host name, as it does when it makes an archive. Only a date
 * may follow: `provisioning-db-*` would also be the archives of `db-2`.
 */
const ARCHIVES = 'provisioning-{hostname}-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*';
const ARCHIVE = /^provisioning-[A-Za-z0-9._-]{1,200}-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.:+-]{0,20}$/;

const PGBACKREST = '/usr/local/sbin/provisioning-pgbackrest';

/** Returns the cluster of PostgreSQL whose member a server is, if it has backups of its log. */
export function clusterBackedUp({ services }: InventoryServer): string | undefined {
  const config = services.patroni?.config;
  if (!isRecord(config) || !isRecord(config.backups)) return undefined;
  return typeof config.cluster === 'string' ? config.cluster : 'main';
}

export const BACKUP_PROGRAMS: readonly BackupProgram[] = [
  {
    name: 'restic',
    // --latest: the newest of each set of paths.
    list: (isNewest) =>
      `${open('restic')}\nrestic snapshots --json --no-lock --tag provisioning --host "$(uname -n)"${isNewest ? ' --latest 1' : ''}`,
    // Former versions print null if there are no snapshots.
    read: (text) =>
      backupsIn(
        text,
        (list) => (list === null ? [] : list),
        ({ id, time, paths }) => (isMatch(id, /^[0-9a-f]{8,64}$/) ? backupAt(id, time, Array.isArray(paths) ? paths : []) : []),
      ),
    restore: (id) => `${open('restic')}\nrestic restore ${quote(id)} --target .`,
  },
  {
    name: 'borg',
    // Its times have no zone.
    list: (isNewest) => `${open('borg')}\nTZ=UTC borg list --json${isNewest ? ' --last 1' : ''} --glob-archives '${ARCHIVES}'`,
    read: (text) =>
      backupsIn(
        text,
        (list) => (isRecord(list) ? list.archives : undefined),
        ({ name, time }) => (isMatch(name, ARCHIVE) ? backupAt(name, `${String(time)}Z`, []) : []),
      ),
    restore: (id) => `${open('borg')}\nborg extract ${quote(`::${id}`)}`,
  },
  {
    name: 'pgbackrest',
    unit: 'provisioning-pgbackrest',
    isOn: (server) => clusterBackedUp(server) !== undefined,
    list: () => `${PGBACKREST} list`,
    read: (text) =>
      backupsIn(
        text,
        (document) => (isRecord(document) ? document.backups : undefined),
        ({ id, time }) => (isMatch(id, /^[0-9]{8}-[0-9]{6}F(_[0-9]{8}-[0-9]{6}[DI])?$/) ? backupAt(id, time, []) : []),
      ),
    restore: () => '',
    moment: {
      folder: '/var/lib/postgresql/restored',
      restore: (time, folder) => `${PGBACKREST} beside ${quote(time)} ${quote(folder)}`,
    },
  },
];

const isMatch = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value);

function backupsIn(
  text: string,
  listIn: (document: unknown) => unknown,
  readEntry: (entry: Record<string, unknown>) => KeptBackup[],
): KeptBackup[] | undefined {
  const list = listIn(parseJson(text));
  if (!Array.isArray(list)) return undefined;
  const backups = list.filter(isRecord).flatMap(readEntry);
  return list.length > 0 && backups.length === 0 ? undefined : backups;
}

/** Returns what a text has as JSON. Undefined if it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function backupAt(id: string, time: unknown, paths: readonly unknown[]): KeptBackup[] {
  const at = new Date(String(time));
  if (Number.isNaN(at.getTime())) return [];
  return [{ id, time: at.toISOString(), paths: paths.filter((path): path is string => typeof path === 'string') }];
}

/** Servers of a cluster with a program for backups. */
export interface BackedUp {
  inventory: Inventory;
  /** Servers by the program. A server may have both. */
  services: { program: BackupProgram; server: InventoryServer }[];
}

/**
 * Finds the backup services of a cluster.
 *
 * @param only names of servers or groups; empty: all servers
 * @throws inputError `not-installed` if the cluster has no backup service
 */
export async function findBackupServices(session: Session, infra: string, only: readonly string[]): Promise<BackedUp> {
  const inventory = await findInventory(session, infra);
  const servers = Object.values(inventory.servers).filter(
    ({ name, spec }) => only.length === 0 || only.includes(name) || only.includes(spec.group),
  );
  const unknown = only.find((name) => !servers.some((server) => server.name === name || server.spec.group === name));
  if (unknown !== undefined)
    throw inputError({
      code: 'unknown-server',
      what: 'find the server',
      on: unknown,
      why: `the infra "${infra}" does not have it`,
      hint: `provisioning server list --infra ${infra}`,
    });
  const services = servers
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    .flatMap((server) =>
      BACKUP_PROGRAMS.filter(({ name, isOn }) => isOn?.(server) ?? server.services[name]).map((program) => ({ program, server })),
    );
  if (services.length > 0) return { inventory, services };
  throw inputError({
    code: 'not-installed',
    what: 'find the backups',
    on: infra,
    why: 'no server of it has a backup service',
    hint: 'add the taskserv restic or borg to the definition, or `backups` to patroni: provisioning taskserv show restic',
  });
}

/** Number of servers in parallel. */
const PARALLEL = 10;

/** Runs its argument as root, whether the login is root or a user with sudo. */
const AS_ROOT = 'if [ "$(id -u)" = 0 ]; then exec bash -euo pipefail -c "$1"; else exec sudo -n bash -euo pipefail -c "$1"; fi';

/** Maximum stored bytes of a server's output, and of all servers together. A list of thousands of backups is kept. */
const MOST_OF_ONE = 8 * 1024 ** 2;
const MOST_OF_ALL = 256 * 1024 ** 2;

/** Runs of scripts on servers. */
export interface ServiceRuns {
  /** In the order of the services. */
  runs: HostRun[];
  /** Whether Ctrl-C or another signal ended them. */
  isInterrupted: boolean;
}

/**
 * Runs scripts on the servers of a cluster as root, one script for each service.
 *
 * @param what attempted action, for errors
 */
export async function runForServices<S extends { server: InventoryServer }>(
  session: Session,
  inventory: Inventory,
  services: readonly S[],
  what: string,
  scriptOf: (service: S) => string,
): Promise<ServiceRuns> {
  const { folder: keys, remove } = await prepareKeys(session, inventory, [...new Set(services.map(({ server }) => server))]);
  try {
    // Report servers that ssh cannot reach before anything runs.
    for (const { server } of services) shellOn(server, { keys, interactive: false, what }, ['true']);
    return await runUntilSignal(async (signal) => {
      const runs: HostRun[] = [];
      const most = Math.min(MOST_OF_ONE, Math.max(MOST_OUTPUT, Math.floor(MOST_OF_ALL / services.length)));
      let next = 0;
      const worker = async () => {
        for (let index = next++; index < services.length; index = next++) {
          const service = services[index] as S;
          const { script, answer } = parseAskedScript(AS_ROOT);
          const words = ['sh', '-c', script, 'sh', scriptOf(service)];
          const [run] = (await runOnAll([service.server], { keys, what, parallel: 1, most, signal }, words)) as [HostRun];
          const read = (kept: KeptOutput): KeptOutput => ({ ...kept, text: answer(kept.text) ?? '' });
          // Without a connection, standard error is what ssh says.
          runs[index] = run.reached ? { ...run, stdout: read(run.stdout), stderr: read(run.stderr) } : run;
        }
      };
      await Promise.all(Array.from({ length: Math.min(PARALLEL, services.length) }, worker));
      return { runs, isInterrupted: signal.aborted };
    });
  } finally {
    await remove();
  }
}
