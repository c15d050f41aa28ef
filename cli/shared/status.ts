import { liveServices } from '../../app/infra/live-services.js';
import { type LiveStatus, type LookedAt, liveStatus } from '../../authoring/request/live-status.js';
import { keepCredentials } from '../../authoring/secrets/keep-environment.js';
import { EXIT } from '../../core/exit-codes.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { resolveOutputs } from '../../core/infra/outputs.js';
import { listUnreachedHosts } from '../../core/operation/drift.js';
import type { Holder, Waiter } from '../../core/operation/operation.js';
import type { FlagsOf, OptionSpec } from '../command.js';
import { paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { serversOf, serverTable, servicesOf } from '../render/inventory.js';
import { locksTable } from '../render/locks.js';
import { listRecordedServices, liveServers, liveServerTable, liveServiceTable, remarks } from '../render/status.js';
import { outputsDocument } from '../render/values/outputs.js';

/** Options of commands that query hosts. */
export const LOOK_OPTIONS = [
  { flags: '--recorded', about: 'print the last recorded state, without a check' },
  { flags: '--timeout <seconds>', about: 'seconds to wait for a host or a provider (default: 5)', number: true },
] as const satisfies readonly OptionSpec[];

/** Help on exit codes for the commands that query the live status. */
export const LOOKING_DETAILS =
  'Exit code 0 when all that runs is healthy, 1 when something is not, 3 when a host or a provider did not answer.';

/** Queries these infras now. */
export async function look(
  session: Session,
  found: readonly Inventory[],
  { timeout, ...asked }: Omit<LookedAt, 'seconds'> & Pick<FlagsOf<typeof LOOK_OPTIONS>, 'timeout'>,
): Promise<LiveStatus[]> {
  if (asked.clouds) await keepCredentials(session);
  return liveStatus(session, found, { ...asked, ...(timeout !== undefined && { seconds: timeout }) });
}

/** Returns the time of the last record for each infra whose records are out of date, one entry per infra. */
export async function findRecordedTimes(session: Session, found: readonly Inventory[]): Promise<{ infra: string; at?: string }[]> {
  const client = await session.client();
  return Promise.all(
    found.map(async ({ workspace, infra }) => ({ infra, ...(await client.infras.recorded({ workspace, infra })) })),
  );
}

/** Renders the times as lines in front of a table. */
export function renderRecordedTimes(session: Session, recorded: readonly { infra: string; at?: string }[]): string {
  const paint = paintFor(session.out);
  const lines = recorded.map(({ infra, at }) => `${infra}: as of ${at ?? 'an unknown time'}, not as it is now`);
  return lines.map((line) => `${paint('yellow', line)}\n`).join('');
}

/**
 * Returns the exit code of a live status: whether all hosts answered and all running services are healthy.
 *
 * @param server limits the check to this server; default: all servers
 */
export function exitCodeOf(all: readonly LiveStatus[], server?: string): number {
  const reports = all.map(({ report }) => report);
  const hosts = reports.flatMap((report) => report.hosts ?? []);
  if (reports.some((report) => listUnreachedHosts(report).length + report.unasked.length > 0)) return EXIT.notReached;
  const unwell = hosts.some(({ services = [] }) => services.some(({ state }) => state === 'unhealthy' || state === 'missing'));
  const isMeant = ({ kind, name }: { kind: string; name: string }) =>
    server === undefined || (kind === 'server' && name === server);
  const off = reports.some(
    ({ gone, differs }) => gone.some(isMeant) || differs.some((one) => isMeant(one) && one.apply === 'start'),
  );
  return unwell || off ? EXIT.failed : EXIT.done;
}

interface Shown extends FlagsOf<typeof LOOK_OPTIONS> {
  /** Only this server. */
  server?: string;
}

/** Prints servers, services and locks of infras in their current or their recorded state. */
export async function showStatus(
  session: Session,
  found: Inventory[],
  locks: { holders: Holder[]; waiters: Waiter[] },
  { recorded, timeout, server }: Shown,
): Promise<number> {
  if (recorded) return showRecorded(session, found, locks, server);
  const looked = await look(session, found, { ...(server !== undefined && { servers: [server] }), clouds: true, timeout });
  const servers = liveServers(looked);
  const services = liveServices(looked);
  const unasked = looked.flatMap(({ inventory, report }) => report.unasked.map((one) => ({ infra: inventory.infra, ...one })));
  const paint = paintFor(session.out);
  if (session.json) {
    const rows = servers.map(({ infra, server, state, why }) => ({ infra, ...server, state, ...(why && { why }) }));
    writeDocument(session, { servers: rows, services, unasked, locks, ...outputsOfAll(found, server) });
  } else {
    const tables = `${liveServerTable(servers, paint)}\n${liveServiceTable(services, paint)}`;
    session.out.write(`${tables}${locksTable(locks, paint)}${remarks(looked, paint)}`);
  }
  return exitCodeOf(looked, server);
}

/** Returns the outputs of infras by name. A single server has no outputs. */
function outputsOfAll(found: readonly Inventory[], server?: string): { outputs?: Record<string, object> } {
  if (server !== undefined) return {};
  const all = found.flatMap((inventory): [string, object][] => {
    const outputs = inventory.definition ? resolveOutputs(inventory.definition, inventory) : [];
    return outputs.length > 0 ? [[inventory.infra, outputsDocument(outputs)]] : [];
  });
  return all.length > 0 ? { outputs: Object.fromEntries(all) } : {};
}

async function showRecorded(
  session: Session,
  found: Inventory[],
  locks: { holders: Holder[]; waiters: Waiter[] },
  server?: string,
): Promise<number> {
  const isMeant = (name: string): boolean => server === undefined || name === server;
  const servers = serversOf(found).filter((row) => isMeant(row.server.name));
  const services = servicesOf(found).filter((row) => isMeant(row.server));
  const recorded = await findRecordedTimes(session, found);
  const paint = paintFor(session.out);
  if (session.json) {
    const rows = servers.map((row) => ({ infra: row.infra, ...row.server }));
    writeDocument(session, { recorded, servers: rows, services, locks, ...outputsOfAll(found, server) });
    return 0;
  }
  const tables = `${serverTable(servers, paint)}\n${liveServiceTable(listRecordedServices(services), paint)}${locksTable(locks, paint)}`;
  session.out.write(`${renderRecordedTimes(session, recorded)}${tables}`);
  return 0;
}
