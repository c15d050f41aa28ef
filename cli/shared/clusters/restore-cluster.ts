import { randomBytes } from 'node:crypto';
import { splitList } from '../../../authoring/request/named.js';
import { inputError } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import { quote } from '../../../core/host/shell.js';
import { clipText } from '../../../core/text.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import type { HostRun } from '../../ssh/run-on-all.js';
import { reportDeclined } from '../declined.js';
import { needsYes } from '../needs-yes.js';
import { parseTime } from '../times/parse-time.js';
import { chooseExitCode, describeFailure } from './backup-cluster.js';
import {
  type BackedUp,
  type BackupProgram,
  clusterBackedUp,
  findBackupServices,
  type KeptBackup,
  RESTORE_FOLDER,
  runForServices,
  type ServiceRuns,
} from './backup-services.js';
import { restoreInPlace, saysItLeads } from './restore-in-place.js';

const WHAT = 'restore a backup';

interface Flags {
  to?: string;
  server?: string;
  inPlace?: boolean;
  check?: boolean;
  yes?: boolean;
}

type Service = BackedUp['services'][number];

/** A backup that was chosen for a service. */
interface Chosen extends Service {
  backup: KeptBackup;
  folder: string;
  /** Moment to restore, ISO 8601, if the program can. Default: the end of the backup. */
  moment?: string;
}

/**
 * Writes the files of backups to a new folder of each server. Present files and running services stay as they are.
 *
 * @returns the exit code
 * @throws inputError `no-backup` if a server has no backup at or before the time
 */
export async function restoreCluster(session: Session, infra: string, flags: Flags): Promise<number> {
  const before = flags.to === undefined ? undefined : parseTime(flags.to, '--to');
  if (!flags.yes && !flags.check) needsYes(session, WHAT, infra, '--check to only look');
  const found = await findBackupServices(session, infra, splitList([flags.server ?? '']));
  if (flags.inPlace) return restoreInPlace(session, infra, found, before, flags);
  const { inventory } = found;
  const { services } = found;
  if (before !== undefined && before > new Date().toISOString() && services.some(({ program }) => program.moment))
    throw inputError({
      ...{ code: 'no-backup', what: WHAT, on: infra, why: `${before} is in the future` },
      hint: 'choose an earlier time with --to, or omit it',
    });
  const listed = await runForServices(session, inventory, services, 'list the backups', ({ program }) =>
    program.list(before === undefined),
  );
  const lists = omitCopies(services.map((service, index): Listed => readList(service, listed.runs[index] as HostRun)));
  const failed = lists.filter(({ why }) => why !== undefined);
  if (listed.isInterrupted || failed.length > 0) return reportSilent(session, infra, failed, listed);
  // One stamp for all servers, so that a restore never meets the folder of another.
  const stamp = randomBytes(4).toString('hex');
  const chosen = lists.map(({ service, backups = [] }): Chosen => {
    const backup = chooseBackup(backups, before);
    if (!backup) throw noBackup(infra, service, before);
    const moment = service.program.moment && before;
    return { ...service, backup, folder: folderOf(service.program, backup, stamp), ...(moment && { moment }) };
  });
  if (!flags.yes || flags.check) {
    if (flags.check) return showRestored(session, infra, chosen);
    writeTable(session, chosen);
    if (!(await session.confirm(`Write the files of ${chosen.length === 1 ? 'this backup' : `these ${chosen.length} backups`}?`)))
      return reportDeclined(session);
  }
  const ran = await runForServices(session, inventory, chosen, WHAT, writeRestore);
  return showRestored(session, infra, chosen, ran);
}

/** Leaves out all but one server of those that have the same data: one that answers, and that follows if one does. */
export function omitCopies(lists: readonly Listed[]): Listed[] {
  const rank = ({ why, leads }: Listed) => (why !== undefined ? 2 : leads ? 1 : 0);
  const clusterOf = ({ service: { program, server } }: Listed) => program.moment && clusterBackedUp(server);
  return lists.filter((one, index) => {
    const cluster = clusterOf(one);
    if (cluster === undefined) return true;
    const isBefore = (other: Listed, at: number) => rank(other) < rank(one) || (rank(other) === rank(one) && at < index);
    return !lists.some((other, at) => clusterOf(other) === cluster && isBefore(other, at));
  });
}

/** Returns the script of a restore. A part of a backup does not stay: its folder is removed if the restore fails. */
function writeRestore({ program, backup, folder, moment = 'newest' }: Chosen): string {
  if (program.moment) return program.moment.restore(moment, folder);
  const remove = `[ -n "$whole" ] || { cd /; rm -rf -- ${quote(folder)}; }`;
  return [
    `install -d -m 0700 ${RESTORE_FOLDER}`,
    `mkdir -m 0700 ${quote(folder)}`,
    'whole=',
    `trap ${quote(remove)} EXIT`,
    `cd ${quote(folder)}`,
    program.restore(backup.id),
    'whole=1',
  ].join('\n');
}

/** Backups of a service, or why they are not known. */
interface Listed {
  service: Service;
  backups?: readonly KeptBackup[];
  leads?: boolean;
  why?: string;
}

function readList(service: Service, run: HostRun): Listed {
  const failure = describeFailure(run);
  if (failure !== undefined) return { service, why: failure };
  if (run.stdout.cut > 0) return { service, why: `the list is too long: ${run.stdout.cut} bytes of it are cut` };
  const backups = service.program.read(run.stdout.text);
  return backups
    ? { service, backups, leads: saysItLeads(run.stdout.text) }
    : { service, why: `the list of ${service.program.name} cannot be read` };
}

/** Returns the newest backup, or the newest one at or before a time. */
export function chooseBackup(backups: readonly KeptBackup[], before?: string): KeptBackup | undefined {
  return backups
    .filter(({ time }) => before === undefined || time <= before)
    .sort((a, b) => (a.time < b.time ? -1 : 1))
    .at(-1);
}

const folderOf = ({ name, moment }: BackupProgram, { id, time }: KeptBackup, stamp: string): string =>
  `${moment ? `${moment.folder}-` : `${RESTORE_FOLDER}/`}${name}-${time.slice(0, 19).replaceAll(':', '')}-${id.replace(/^provisioning-/, '').slice(0, 8)}-${stamp}`;

const noBackup = (infra: string, { program, server }: Service, before?: string) =>
  inputError({
    code: 'no-backup',
    what: WHAT,
    on: server.name,
    why:
      before === undefined ? `${program.name} has no backup of it` : `${program.name} has no backup of it at or before ${before}`,
    hint: `${
      before === undefined
        ? `make one: provisioning cluster backup ${infra} --server ${server.name}`
        : 'choose a later time with --to, or omit it'
    }; or choose other servers with --server`,
  });

function reportSilent(session: Session, infra: string, failed: readonly Listed[], listed: ServiceRuns): number {
  const problems = failed.map(({ service: { server, program }, why = '' }) => ({
    server: server.name,
    taskserv: program.name,
    why: clipText(why, 500),
  }));
  if (session.json) writeDocument(session, { infra, restored: [], problems });
  else
    session.err.write(
      problems.map(({ server, taskserv, why }) => `${server}: cannot list the backups of ${taskserv}: ${why}\n`).join(''),
    );
  // Without its list, a server has no restore, whatever its exit code was.
  return chooseExitCode(listed) || EXIT.failed;
}

/** Folder of the dumps that the template `postgresql` backs up. */
const DUMPS = 'var/backups/postgresql';

/** Returns commands for the restored files: they load a dump of PostgreSQL, or show the files. */
function nextSteps(infra: string, done: readonly Chosen[]): string {
  const exec = (server: string) => `  provisioning exec ${server} --infra ${infra} --`;
  const isDatabase = ({ server }: Chosen) => server.services.postgres !== undefined;
  const dump = (folder: string) =>
    `cd / && runuser -u postgres -- pg_restore --clean --if-exists --single-transaction --dbname=DATABASE <${folder}/${DUMPS}/DATABASE.dump`;
  const copy = ({ server, folder }: Chosen) =>
    `cd / && runuser -u postgres -- /usr/lib/postgresql/${server.services.patroni?.version}/bin/pg_ctl -D ${folder} -l ${folder}/log -o "-c port=5499 -c listen_addresses='' -c unix_socket_directories=/tmp -c hot_standby=off -c synchronous_standby_names=''" start`;
  const lines = done.map((one) =>
    one.program.moment
      ? `${exec(one.server.name)} ${quote(copy(one))}`
      : isDatabase(one)
        ? `${exec(one.server.name)} ${quote(dump(one.folder))}`
        : `${exec(one.server.name)} find ${quote(one.folder)}`,
  );
  return `${done.some((one) => one.program.moment) ? 'To start the copy of the database on the socket /tmp/.s.PGSQL.5499, or to load a dump, or to see the files:' : done.some(isDatabase) ? 'To load a dump, with the name of the database, or to see the files:' : 'To see the files:'}\n${lines.join('\n')}\n`;
}

function writeTable(session: Session, chosen: readonly Chosen[], runs?: readonly HostRun[]): void {
  const paint = paintFor(session.out);
  const rows = chosen.map(({ server, program, backup, folder, moment }, index) => {
    const run = runs?.[index];
    const failure = run && describeFailure(run);
    const state = run === undefined ? '' : failure === undefined ? paint('green', 'done') : paint('red', clipText(failure, 500));
    return [server.name, program.name, moment ?? backup.time, folder, state];
  });
  session.out.write(renderTable(['SERVER', 'TASKSERV', 'BACKUP', 'FOLDER', ''], rows, '', paint));
}

function showRestored(session: Session, infra: string, chosen: readonly Chosen[], ran?: ServiceRuns): number {
  const runs = ran?.runs;
  if (session.json) {
    const restored = chosen.map(({ server, program, backup, folder, moment }, index) => {
      const run = runs?.[index];
      const failure = run && describeFailure(run);
      return {
        ...{ server: server.name, taskserv: program.name, backup, folder, ...(moment && { moment }) },
        ...(run && { done: failure === undefined }),
        ...(failure !== undefined && { why: clipText(failure, 500) }),
      };
    });
    writeDocument(session, { infra, restored });
  } else {
    writeTable(session, chosen, runs);
    const done = chosen.filter((_, index) => runs?.[index]?.exit === 0);
    if (done.length > 0) session.out.write(`Present files and services stay as they are.\n${nextSteps(infra, done)}`);
  }
  return ran === undefined ? EXIT.done : chooseExitCode(ran);
}
