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
  findBackupServices,
  type KeptBackup,
  RESTORE_FOLDER,
  runForServices,
} from './backup-services.js';

const WHAT = 'restore a backup';

interface Flags {
  to?: string;
  server?: string;
  check?: boolean;
  yes?: boolean;
}

type Service = BackedUp['services'][number];

/** A backup that was chosen for a service. */
interface Chosen extends Service {
  backup: KeptBackup;
  folder: string;
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
  const { inventory, services } = await findBackupServices(session, infra, splitList([flags.server ?? '']));
  const lists = await runForServices(session, inventory, services, 'list the backups', ({ program }) => program.list);
  const failed = lists.flatMap((run, index) =>
    describeFailure(run) === undefined ? [] : [{ service: services[index] as Service, run }],
  );
  if (failed.length > 0) return reportSilent(session, infra, failed);
  const chosen = services.map((service, index): Chosen => {
    const backup = chooseBackup(service.program, lists[index]?.stdout.text ?? '', before);
    if (!backup) throw noBackup(service, before);
    return { ...service, backup, folder: folderOf(service.program, backup) };
  });
  if (!flags.yes || flags.check) {
    if (flags.check) return showRestored(session, infra, chosen);
    writeTable(session, chosen);
    if (!(await session.confirm(`Write the files of ${chosen.length === 1 ? 'this backup' : `these ${chosen.length} backups`}?`)))
      return reportDeclined(session);
  }
  const runs = await runForServices(session, inventory, chosen, WHAT, ({ program, backup, folder }) =>
    // A folder that exists has files of an earlier restore.
    [
      `install -d -m 0700 ${RESTORE_FOLDER}`,
      `mkdir -m 0700 ${quote(folder)}`,
      `cd ${quote(folder)}`,
      program.restore(backup.id),
    ].join('\n'),
  );
  return showRestored(session, infra, chosen, runs);
}

/** Returns the newest backup, or the newest one at or before a time. */
export function chooseBackup({ read }: BackupProgram, text: string, before?: string): KeptBackup | undefined {
  return read(text)
    .filter(({ time }) => before === undefined || time <= before)
    .sort((a, b) => (a.time < b.time ? -1 : 1))
    .at(-1);
}

const folderOf = ({ name }: BackupProgram, { id, time }: KeptBackup): string =>
  `${RESTORE_FOLDER}/${name}-${time.slice(0, 19).replaceAll(':', '')}-${id.replace(/^provisioning-/, '').slice(0, 8)}`;

const noBackup = ({ program, server }: Service, before?: string) =>
  inputError({
    code: 'no-backup',
    what: WHAT,
    on: server.name,
    why:
      before === undefined ? `${program.name} has no backup of it` : `${program.name} has no backup of it at or before ${before}`,
    hint: before === undefined ? 'provisioning cluster backup INFRA makes one' : 'choose a later time with --to, or leave it out',
  });

function reportSilent(session: Session, infra: string, failed: readonly { service: Service; run: HostRun }[]): number {
  const problems = failed.map(({ service: { server, program }, run }) => ({
    server: server.name,
    taskserv: program.name,
    why: clipText(describeFailure(run) ?? '', 500),
  }));
  if (session.json) writeDocument(session, { infra, restored: [], problems });
  else
    session.err.write(
      problems.map(({ server, taskserv, why }) => `${server}: cannot list the backups of ${taskserv}: ${why}\n`).join(''),
    );
  return chooseExitCode(failed.map(({ run }) => run));
}

function writeTable(session: Session, chosen: readonly Chosen[], runs?: readonly HostRun[]): void {
  const paint = paintFor(session.out);
  const rows = chosen.map(({ server, program, backup, folder }, index) => {
    const run = runs?.[index];
    const failure = run && describeFailure(run);
    const state = run === undefined ? '' : failure === undefined ? paint('green', 'done') : paint('red', clipText(failure, 500));
    return [server.name, program.name, backup.time, folder, state];
  });
  session.out.write(renderTable(['SERVER', 'TASKSERV', 'BACKUP', 'FOLDER', ''], rows, '', paint));
}

function showRestored(session: Session, infra: string, chosen: readonly Chosen[], runs?: readonly HostRun[]): number {
  if (session.json) {
    const restored = chosen.map(({ server, program, backup, folder }, index) => {
      const run = runs?.[index];
      const failure = run && describeFailure(run);
      return {
        ...{ server: server.name, taskserv: program.name, backup, folder },
        ...(run && { done: failure === undefined }),
        ...(failure !== undefined && { why: clipText(failure, 500) }),
      };
    });
    writeDocument(session, { infra, restored });
  } else {
    writeTable(session, chosen, runs);
    if (runs?.some(({ exit }) => exit === 0))
      session.out.write('Present files and services stay as they are. To load a dump: docs/use/clusters.md\n');
  }
  return runs === undefined ? EXIT.done : chooseExitCode(runs);
}
