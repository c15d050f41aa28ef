import { NAMES_UNIT } from '../../core/host/names-unit.js';
import { VOLUMES_UNIT } from '../../core/host/volumes-unit.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { DriftReport } from '../../core/operation/drift.js';
import type { HostStatus, ServiceHealth, ServiceStatus } from '../../core/operation/host-status.js';
import type { GroupStatus } from '../../core/taskserv/groups/group-status.js';

/** An infra in its recorded and in its present state. */
interface LookedAtInfra {
  inventory: Inventory;
  report: Pick<DriftReport, 'hosts'>;
}

/** The present state of a service; `unknown`: its host was not reached, `stopped`: the host is switched off. */
export interface LiveService {
  infra: string;
  server: string;
  taskserv: string;
  /** Absent for services that are not taskservs. */
  version?: string;
  installed?: string;
  state: ServiceHealth | 'unknown' | 'stopped';
  why?: string;
  steps?: string[];
  /** The group that it belongs to, as its host saw it. */
  group?: GroupStatus;
  /** The operation that last changed it. */
  since?: string;
}

/** All services of infras, by server and name. */
export function liveServices(all: readonly LookedAtInfra[], isMeant: (taskserv: string) => boolean = () => true): LiveService[] {
  return all.flatMap(({ inventory, report }) => {
    const wanted = new Map(inventory.definition?.servers.map(({ name, taskservs }) => [name, taskservs]));
    return (report.hosts ?? []).flatMap((host) => {
      const known = inventory.servers[host.server]?.services ?? {};
      const versions = new Map(wanted.get(host.server)?.map(({ name, version }) => [name, version]));
      const rows = host.services?.filter(isTold) ?? Object.keys(known).map((taskserv) => ({ taskserv, ...unseen(host) }));
      return rows
        .filter(({ taskserv }) => isMeant(taskserv))
        .sort((a, b) => a.taskserv.localeCompare(b.taskserv))
        .map((row): LiveService => {
          const version = versions.get(row.taskserv) ?? known[row.taskserv]?.version;
          const since = known[row.taskserv]?.since;
          return { infra: inventory.infra, server: host.server, ...(version && { version }), ...row, ...(since && { since }) };
        });
    });
  });
}

/** Units that belong to the host itself. */
const HOST_UNITS: ReadonlySet<string> = new Set([NAMES_UNIT, VOLUMES_UNIT]);

/** The own units of a host are shown only if something is wrong with them. */
const isTold = ({ taskserv, state }: ServiceStatus): boolean => state !== 'healthy' || !HOST_UNITS.has(taskserv);

const unseen = ({ why, stopped }: HostStatus) =>
  stopped ? ({ state: 'stopped' } as const) : ({ state: 'unknown', ...(why !== undefined && { why }) } as const);
