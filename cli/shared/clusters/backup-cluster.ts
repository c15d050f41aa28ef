import { splitList } from '../../../authoring/request/named.js';
import { EXIT } from '../../../core/exit-codes.js';
import { clipText } from '../../../core/text.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import type { HostRun } from '../../ssh/run-on-all.js';
import {
  type BackedUp,
  type BackupProgram,
  clusterBackedUp,
  findBackupServices,
  runForServices,
  type ServiceRuns,
} from './backup-services.js';

const WHAT = 'make a backup';

/** Makes a backup on each server of a cluster that has a backup service, and waits for the end. @returns the exit code */
export async function backupCluster(session: Session, infra: string, flags: { server?: string; check?: boolean }): Promise<number> {
  const { inventory, services } = await findBackupServices(session, infra, splitList([flags.server ?? '']));
  const ran = flags.check
    ? undefined
    : await runForServices(session, inventory, services, WHAT, ({ program }) => writeBackup(program));
  const runs = ran?.runs;
  const missed = ran ? findMissed(services, ran.runs) : new Set<number>();
  const backups = services.map(({ program, server }, index) => {
    const run = runs?.[index];
    const failure = run && (describeFailure(run) ?? (missed.has(index) ? 'no member of its cluster made a backup' : undefined));
    return {
      server: server.name,
      taskserv: program.name,
      ...(run && { done: failure === undefined }),
      ...(failure && { why: failure }),
    };
  });
  if (session.json) writeDocument(session, { infra, backups });
  else {
    const paint = paintFor(session.out);
    const stateOf = ({ done, why }: (typeof backups)[number]) =>
      done === undefined ? 'would be made' : done ? paint('green', 'done') : paint('red', clipText(why ?? 'failed', 500));
    const rows = backups.map((one) => [one.server, one.taskserv, stateOf(one)]);
    session.out.write(renderTable(['SERVER', 'TASKSERV', 'BACKUP'], rows, '', paint));
  }
  return ran === undefined ? EXIT.done : chooseExitCode(ran) || (missed.size > 0 ? EXIT.failed : EXIT.done);
}

/** Returns a script that makes a backup. If another member may make it, it prints when it began and the backups. */
function writeBackup({ name, unit = name, moment, list }: BackupProgram): string {
  const make = `systemctl start ${unit}.service || { journalctl --unit ${unit}.service --lines 20 --output cat --no-pager >&2; exit 1; }`;
  return moment ? `date -u +%FT%TZ\n${make}\n${list(true)}` : make;
}

/** Returns the services of clusters with one repository in which no backup was made since they began. */
export function findMissed(services: BackedUp['services'], runs: readonly Pick<HostRun, 'exit' | 'stdout'>[]): Set<number> {
  const made = new Set<string>();
  const clusters = services.map(({ program, server }) => program.moment && clusterBackedUp(server));
  services.forEach(({ program }, index) => {
    const [began = '', ...rest] = runs[index]?.stdout.text.split('\n') ?? [];
    const cluster = clusters[index];
    const backups = cluster === undefined ? undefined : program.read(rest.join('\n'));
    if (cluster !== undefined && backups?.some(({ time }) => Date.parse(time) >= Date.parse(began))) made.add(cluster);
  });
  return new Set(
    services.flatMap((_, index) => {
      const cluster = clusters[index];
      return cluster !== undefined && runs[index]?.exit === 0 && !made.has(cluster) ? [index] : [];
    }),
  );
}

/** Returns why a run failed. Undefined if it succeeded. */
export function describeFailure({ exit, why, stderr, stdout }: HostRun): string | undefined {
  if (exit === 0) return undefined;
  const lines = (stderr.text.trim() || stdout.text.trim()).split('\n');
  return why ?? (lines.at(-1) || `exit code ${exit}`);
}

/** Returns the exit code of a command that ran on servers. */
export function chooseExitCode({ runs, isInterrupted }: ServiceRuns): number {
  if (isInterrupted) return EXIT.interrupted;
  if (runs.some(({ reached }) => !reached)) return EXIT.notReached;
  return runs.some(({ exit }) => exit !== 0) ? EXIT.failed : EXIT.done;
}
