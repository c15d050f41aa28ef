import { type ActivityOptions, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { changesOf, type DriftReport, type RefreshRequest } from '../../core/operation/drift.js';
import type { HostStatus } from '../../core/operation/host-status.js';
import { lockInfra } from '../infra/locked.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { createRefusal, describeFailure } from '../operation/failures.js';
import { hostsToLookAt } from './hosts-to-look-at.js';
import { stoppable } from './stoppable.js';

const asking: ActivityOptions = {
  startToCloseTimeout: 2 * 60_000,
  patienceMs: 5 * 60_000,
  heartbeatTimeout: 15_000,
};

/** Hosts that one activity looks at, side by side. */
const AT_ONCE = 50;

/**
 * Compares what is there with the inventory of an infra: at the clouds, and on the hosts. With `record` the inventory
 * then says what is gone, and where servers are reached.
 */
export function refresh(asked: RefreshRequest): Promise<DriftReport> {
  refuseBadRequest('refresh', asked);
  return stoppable('refresh the infra', asked.infra, () => compare(asked));
}

async function compare(asked: RefreshRequest): Promise<DriftReport> {
  const { record = false, hosts, clouds, ...request } = asked;
  const { infra } = request;
  const done = await lockInfra({ ...request, alone: record }, async (inventory, remember) => {
    const report: DriftReport = { infra, asRecorded: 0, differs: [], gone: [], unknown: [], unasked: [] };
    const looking = hosts ? lookAtHosts(inventory, hosts) : undefined;
    // A failure is reported after the clouds were queried.
    looking?.catch(() => {});
    if (clouds !== false) await compareWithClouds(inventory, report, clouds?.withinMs);
    if (looking) report.hosts = await looking;
    if (!record) return report;
    remember(...changesOf(inventory, report));
    return { ...report, recorded: true as const };
  });
  if (done) return done;
  throw createRefusal({
    code: 'unknown-infra',
    what: 'find the infra',
    on: infra,
    why: 'the workspace has no infra with this name',
  });
}

/** @param withinMs that each provider may take, in milliseconds; absent: for as long as it is tried */
async function compareWithClouds(inventory: Inventory, report: DriftReport, withinMs?: number): Promise<void> {
  const once: ActivityOptions = { ...asking, startToCloseTimeout: withinMs, retry: { maximumAttempts: 1 } };
  const { compareWithCloud } = proxyActivities<Activities>(withinMs === undefined ? asking : once);
  const { definition, ...known } = inventory;
  const wanted = definition ? { wanted: definition.servers.map(({ name }) => name) } : {};
  const machines = Object.values(inventory.servers).filter(({ spec }) => !spec.host);
  const accounts = [...machines, ...Object.values(inventory.networks)].map(({ provider }) => provider);
  for (const provider of [...new Set(accounts)].sort()) {
    try {
      const summary = `Compare the inventory with ${provider}`;
      const found = await compareWithCloud.executeWithOptions({ summary }, [{ inventory: known, provider, ...wanted }]);
      report.asRecorded += found.asRecorded;
      for (const key of ['differs', 'gone', 'unknown'] as const) report[key].push(...(found[key] as never[]));
    } catch (error) {
      if (isCancellation(error)) throw error;
      report.unasked.push({ provider, why: describeFailure(error, { step: 'ask', on: provider }).why });
    }
  }
}

/** Looks at all hosts that run; those that are meant to be off are only named. */
async function lookAtHosts(inventory: Inventory, asked: NonNullable<RefreshRequest['hosts']>): Promise<HostStatus[]> {
  const { withinMs, servers, archive } = asked;
  const { workspace, infra, uuid } = inventory;
  // A host may be as late as that, and the worker be busy with others.
  const { lookAtHosts: look } = proxyActivities<Activities>({ ...asking, startToCloseTimeout: withinMs + 60_000 });
  const hosts = hostsToLookAt(inventory, asked);
  const pages = Array.from({ length: Math.ceil(hosts.length / AT_ONCE) }, (_, page) =>
    hosts.slice(page * AT_ONCE, (page + 1) * AT_ONCE),
  );
  const found = await Promise.all(
    pages.map((page) => {
      const summary = `Look at ${page.length} ${page.length === 1 ? 'host' : 'hosts'}`;
      return look.executeWithOptions({ summary }, [
        { scope: { workspace, infra, uuid }, hosts: page, withinMs, ...(archive && { archive }) },
      ]);
    }),
  );
  const off = Object.values(inventory.servers).flatMap(({ name, stopped }): HostStatus[] =>
    stopped && (!servers || servers.includes(name)) ? [{ server: name, stopped }] : [],
  );
  return [...found.flat(), ...off].sort((a, b) => (a.server < b.server ? -1 : 1));
}
