import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import { machineOf } from '../../core/machine/existing.js';
import type { HostRecord } from '../../core/recovery/host-record.js';
import type { LabelledThings } from '../../core/recovery/recovery-report.js';
import type { LabelsRequest } from '../../core/schema/labels.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { stoppable } from './stoppable.js';

const { findLabels } = proxyActivities<Activities>({
  startToCloseTimeout: 2 * 60_000,
  patienceMs: 5 * 60_000,
  heartbeatTimeout: 15_000,
});
const { readHostRecords } = proxyActivities<Activities>({
  startToCloseTimeout: 5 * 60_000,
  patienceMs: 10 * 60_000,
  heartbeatTimeout: 15_000,
});

/** Hosts that one activity asks. */
const AT_ONCE = 50;

/** Finds resources with the labels of an infra. If machines are given, it also reads the records of its hosts. */
export function labels(request: LabelsRequest): Promise<LabelledThings> {
  refuseBadRequest('labels', request);
  return stoppable('look for the labels', request.infra, () => look(request));
}

async function look(request: LabelsRequest): Promise<LabelledThings> {
  const { workspace, infra, machines } = request;
  const asked = { workspace, infra, actor: request.actor };
  const labelled = await findLabels.executeWithOptions({ summary: `Look for labels of ${infra}` }, [asked]);
  if (!machines) return labelled;
  const hosts = [...labelled.servers.map(({ server }) => server), ...machines.flatMap(machineOf)];
  const records: HostRecord[] = [];
  for (let from = 0; from < hosts.length; from += AT_ONCE) {
    const servers = hosts.slice(from, from + AT_ONCE);
    const summary = `Ask ${servers.length} hosts of ${infra} for their owner`;
    records.push(...(await readHostRecords.executeWithOptions({ summary }, [{ workspace, infra, servers }])));
  }
  return { ...labelled, records };
}
