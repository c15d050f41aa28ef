import { inputError } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import { quote } from '../../../core/host/shell.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import { clipText } from '../../../core/text.js';
import { isRecord } from '../../../definition/source/salvage.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import { SSH_EXIT } from '../../ssh/reached-server.js';
import type { HostRun } from '../../ssh/run-on-all.js';
import { reportDeclined } from '../declined.js';
import { chooseExitCode, describeFailure } from './backup-cluster.js';
import { BACKUP_PROGRAMS, type BackedUp, clusterBackedUp, type KeptBackup, runForServices } from './backup-services.js';

const PROGRAM = '/usr/local/sbin/provisioning-pgbackrest';
const WHAT = 'restore the cluster';

/** A member, and what its host says of it. */
interface Member {
  server: InventoryServer;
  leads: boolean;
  /** Whether a restore of it was killed. A further one ends that first. */
  isUnfinished: boolean;
  backups: readonly KeptBackup[];
}

/** What will be done. */
interface Plan {
  infra: string;
  cluster: string;
  leader: Member;
  followers: readonly Member[];
  backup: KeptBackup;
  /** ISO 8601. Undefined for the end of the newest backup. */
  time: string | undefined;
}

/**
 * Gives a cluster of patroni the state of a moment: the followers stop, the leader restores and leads, and the followers
 * follow it. If the restore fails, the leader serves its former data again.
 *
 * @param time ISO 8601; undefined: the end of the newest backup
 * @returns the exit code
 * @throws inputError `no-backup`, `bad-arguments` if there is no cluster, or more than one, to restore
 */
export async function restoreInPlace(
  session: Session,
  infra: string,
  { inventory, services }: BackedUp,
  time: string | undefined,
  flags: { check?: boolean; yes?: boolean },
): Promise<number> {
  const cluster = chooseCluster(infra, services);
  const servers = Object.values(inventory.servers)
    .filter((server) => clusterBackedUp(server) === cluster)
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const run = (on: readonly Member[], what: string, words: string) =>
    runForServices(session, inventory, on, what, () => `${PROGRAM} ${words}`);
  const listed = await runForServices(
    session,
    inventory,
    servers.map((server) => ({ server })),
    'list the backups',
    () => `${PROGRAM} list`,
  );
  const members = servers.map((server, index) => readMember(server, listed.runs[index] as HostRun));
  const silent = members.filter((one): one is { server: string; why: string } => 'why' in one);
  if (listed.isInterrupted || silent.length > 0)
    return report(session, { infra, cluster, problems: silent }, chooseExitCode(listed) || EXIT.failed);
  const plan = planRestore(infra, cluster, members as Member[], time);
  if (!session.json) showPlan(session, plan);
  if (flags.check) return session.json ? report(session, describePlan(plan), EXIT.done) : EXIT.done;
  if (!flags.yes && !(await session.confirm(`Restore the cluster "${cluster}", and remove all later writes?`)))
    return reportDeclined(session);

  const { leader, followers } = plan;
  const stopped = await run(followers, WHAT, 'stop');
  const whyStopped = failuresOf(followers, stopped.runs);
  const restored = whyStopped.length > 0 ? undefined : await run([leader], WHAT, `restore ${quote(time ?? 'newest')}`);
  const isOver = restored === undefined || (!restored.isInterrupted && hasEnded(restored.runs[0]));
  // They start with the restored data, or with the former data. They must not lead while the leader still restores.
  const started = isOver ? await run(followers, WHAT, 'start') : undefined;
  const problems = [
    ...whyStopped,
    ...(restored ? failuresOf([leader], restored.runs) : []),
    ...(started
      ? failuresOf(followers, started.runs)
      : followers.map(({ server }) => ({ server: server.name, why: `it stays stopped: ${leader.server.name} may still restore` }))),
  ];
  const former = restored && readFormer(restored.runs[0]?.stdout.text ?? '');
  const code = [stopped, restored, started]
    .filter((one) => one !== undefined)
    .map(chooseExitCode)
    .find((one) => one !== EXIT.done);
  if (!session.json && problems.length === 0)
    session.out.write(
      `The cluster "${cluster}" has the state of ${time ?? plan.backup.time}.\n${former ? `The former data of ${leader.server.name} is in ${former}. Delete it once you do not need it.\n` : ''}`,
    );
  return report(
    session,
    { ...describePlan(plan), done: problems.length === 0, ...(former && { former }), problems },
    code ?? EXIT.done,
  );
}

/** Returns whether a command has ended on its host. After the loss of the connection it may go on: ssh returns its own code then. */
export const hasEnded = (run: Pick<HostRun, 'exit' | 'why'> | undefined): boolean =>
  run !== undefined && run.exit !== null && run.exit !== SSH_EXIT && run.why === undefined;

/** @throws inputError `bad-arguments` */
function chooseCluster(infra: string, services: BackedUp['services']): string {
  const clusters = [...new Set(services.flatMap(({ server }) => clusterBackedUp(server) ?? []))];
  const [cluster] = clusters;
  if (cluster !== undefined && clusters.length === 1) return cluster;
  throw inputError({
    code: 'bad-arguments',
    what: WHAT,
    on: infra,
    why:
      cluster === undefined
        ? 'no server has patroni with `backups`: only such a cluster is restored in place'
        : `it has several clusters of patroni: ${clusters.join(', ')}`,
    hint: cluster === undefined ? 'omit --in-place' : 'choose one with --server, by one of its members',
  });
}

function readMember(server: InventoryServer, run: HostRun): Member | { server: string; why: string } {
  const failure = describeFailure(run);
  if (failure !== undefined) return { server: server.name, why: clipText(failure, 500) };
  const text = run.stdout.text;
  const backups = BACKUP_PROGRAMS.find(({ name }) => name === 'pgbackrest')?.read(text);
  return backups
    ? { server, backups, leads: parse(text).leads === true, isUnfinished: parse(text).unfinished === true }
    : { server: server.name, why: 'its answer cannot be read' };
}

/** Whether a member says that it leads. */
export const saysItLeads = (text: string): boolean => parse(text).leads === true;

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Path of the former data. Only known signs: it is shown, and copied into commands. */
function readFormer(text: string): string | undefined {
  const { former } = parse(text.trim().split('\n').at(-1) ?? '');
  return typeof former === 'string' && /^[A-Za-z0-9/._-]{1,200}$/.test(former) ? former : undefined;
}

/** @throws inputError `no-backup` if no backup ended before the time, `group-unknown` if no member leads */
function planRestore(infra: string, cluster: string, members: readonly Member[], time: string | undefined): Plan {
  const leader = members.find(({ leads }) => leads) ?? members.find(({ isUnfinished }) => isUnfinished);
  if (!leader)
    throw inputError({
      code: 'group-unknown',
      what: WHAT,
      on: cluster,
      why: 'no member leads it',
      hint: `provisioning cluster status ${infra}`,
    });
  const earliest = [...leader.backups].sort((a, b) => (a.time < b.time ? -1 : 1));
  const backup = earliest.filter((one) => time === undefined || one.time <= time).at(-1);
  const isLater = time !== undefined && time > new Date().toISOString();
  if (backup && !isLater) return { infra, cluster, leader, followers: members.filter((one) => one !== leader), backup, time };
  throw inputError({
    code: 'no-backup',
    what: WHAT,
    on: cluster,
    why: isLater
      ? `${time} is in the future`
      : earliest[0]
        ? `its first backup ended at ${earliest[0].time}, after ${time}`
        : 'it has no backup',
    hint: earliest[0] ? `choose a time from ${earliest[0].time} to now` : `make one: provisioning cluster backup ${infra}`,
  });
}

function showPlan(session: Session, { leader, followers, backup, time }: Plan): void {
  const rows = [
    [leader.server.name, 'leads', `restores the backup of ${backup.time}${time === undefined ? '' : ` and the log up to ${time}`}`],
    ...followers.map(({ server }) => [server.name, 'follows', 'stops, and follows the restored data']),
  ];
  session.out.write(renderTable(['SERVER', 'ROLE', 'CHANGE'], rows, '', paintFor(session.out)));
}

const describePlan = ({ infra, cluster, leader, followers, backup, time }: Plan) => ({
  ...{ infra, cluster, leader: leader.server.name, followers: followers.map(({ server }) => server.name) },
  ...{ backup, time: time ?? backup.time },
});

const failuresOf = (members: readonly Member[], runs: readonly HostRun[]) =>
  members.flatMap(({ server }, index) => {
    const run = runs[index];
    const why = run && describeFailure(run);
    return why === undefined ? [] : [{ server: server.name, why: clipText(why, 500) }];
  });

/** What programs get, and which problems people see. */
interface Report {
  infra: string;
  problems?: readonly { server: string; why: string }[];
  [more: string]: unknown;
}

function report(session: Session, document: Report, code: number): number {
  if (session.json) writeDocument(session, document);
  else session.err.write((document.problems ?? []).map(({ server, why }) => `${server}: cannot ${WHAT}: ${why}\n`).join(''));
  return code;
}
