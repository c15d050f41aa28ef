import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { GroupShareInput } from '../../activities/service/shares/group-share.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { GroupShareAnswer, GroupShareRequest } from '../../core/taskserv/groups/group-share.js';
import { lockInfra } from '../infra/locked.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { createRefusal } from '../operation/failures.js';
import { describeGroups } from '../runbook/grouped-hosts.js';
import { stoppable } from './stoppable.js';

// A look at all members, the time in which one may come to serve, and its script.
const giving: ActivityOptions = { startToCloseTimeout: 3 * 60_000, patienceMs: 3 * 60_000, heartbeatTimeout: 15_000 };
const { giveGroupShare } = proxyActivities<Activities>(giving);

/**
 * Has the share of a group made that an output of the applied definition names, or finds a kept one. The answer has the
 * name by which it is kept: the value is in no history.
 */
export function groupShare(request: GroupShareRequest): Promise<GroupShareAnswer> {
  refuseBadRequest('groupShare', request);
  return stoppable('show the output', request.output, () => give(request));
}

async function give({ output, ...request }: GroupShareRequest): Promise<GroupShareAnswer> {
  const given = await lockInfra({ ...request, alone: false }, (inventory) => {
    const asked = findShare(inventory, output);
    const summary = `Get the share ${asked.share} of ${asked.group.taskserv}`;
    return giveGroupShare.executeWithOptions({ summary }, [asked]);
  });
  if (given) return given;
  throw createRefusal({
    code: 'unknown-infra',
    what: 'find the infra',
    on: request.infra,
    why: 'the workspace has no infra with this name',
  });
}

/** The share that an output names, and its group with the members that are there. */
function findShare(inventory: Inventory, name: string): GroupShareInput {
  const { workspace, infra, uuid, definition } = inventory;
  const outputs = definition?.outputs ?? {};
  const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
  const refuse = (why: string, hint?: string) =>
    createRefusal({ code: 'unknown-output', what: 'show the output', on: name, why, ...(hint && { hint }) });
  if (!definition || !output) throw refuse(`the definition of "${infra}" has no such output`);
  if (!('share' in output)) throw refuse('it is no share of a group', `provisioning output ${name} --infra ${infra}`);
  const { share, taskserv, group } = output;
  const specs = definition.servers.flatMap(({ taskservs }) => taskservs);
  const spec = specs.find((one) => one.name === taskserv && one.group === group);
  const [asked] = spec ? (describeGroups(inventory, definition, [spec]).groups ?? []) : [];
  if (!asked) throw refuse(`the definition has no ${taskserv} group "${group}"`);
  return { scope: { workspace, infra, uuid }, group: asked, share };
}
