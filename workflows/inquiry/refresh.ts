import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import { changesOf, type DriftReport, type RefreshRequest } from '../../core/operation/drift.js';
import { withInfra } from '../infra/locked.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { describeFailure, refused } from '../operation/failures.js';

const { compareWithCloud } = proxyActivities<Activities>({
  startToCloseTimeout: 2 * 60_000,
  patienceMs: 5 * 60_000,
  heartbeatTimeout: 15_000,
});

/** Compares what the clouds have with the inventory of an infra; with `record` the inventory then says what is gone, and where servers are reached. */
export async function refresh(asked: RefreshRequest): Promise<DriftReport> {
  refuseBadRequest('refresh', asked);
  const { record = false, ...request } = asked;
  const { infra } = request;
  const done = await withInfra({ ...request, alone: record }, async (inventory, remember) => {
    const { definition, ...known } = inventory;
    const wanted = definition ? { wanted: definition.servers.map(({ name }) => name) } : {};
    const report: DriftReport = { infra, asRecorded: 0, differs: [], gone: [], unknown: [], unasked: [] };
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
    if (!record) return report;
    remember(...changesOf(inventory, report));
    return { ...report, recorded: true as const };
  });
  if (done) return done;
  throw refused({ code: 'unknown-infra', what: 'find the infra', on: infra, why: 'there is none of this name' });
}
