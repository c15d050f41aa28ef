import { inputError } from '../../core/errors.js';
import type { Step } from '../../core/host/step.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { Member } from '../../core/taskserv/groups/group.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { clipText } from '../../core/text.js';
import type { Dependencies } from '../dependencies.js';
import { hideFor } from '../hidden.js';
import type { HostOf } from '../host/host.js';
import type { OwnAmong } from './own-modules.js';
import { createPool, type GroupAt, knowGroups, type PooledGroup } from './pool-groups.js';
import { countQuorum, describeRecovery, refuseSeveral } from './quorum.js';
import { refuseSecrets } from './refuse-secrets.js';
import { findTaskserv } from './taskserv-of.js';

export interface SwitchOverInput {
  scope: Scope;
  /** The groups that people may mean. */
  groups: GroupAt[];
  /** Server of the wanted next leader. Absent: any that is ready. */
  to?: string;
}

/** How the lead of a group goes to another member. */
export interface SwitchOver {
  taskserv: string;
  group: string;
  /** Server of the member that leads, on which the steps run. */
  leader: string;
  to?: string;
  /** Empty if the wanted member leads already. */
  steps: Step[];
}

type Shared = Pick<Dependencies, 'secrets' | 'providers' | 'env'> & { ownAmong: OwnAmong; hostOf: HostOf };

const WHAT = 'switch over the leader';

const refuse = (on: string, why: string, hint?: string) =>
  inputError({ code: 'cannot-switch-over', what: WHAT, on, why, ...(hint !== undefined && { hint }) });

/**
 * Looks at a group and plans how another member gets its lead. Nothing is changed.
 *
 * @throws inputError `cannot-switch-over` if the group has no lead to give away, no leader, or no other member that is ready;
 *   `bad-arguments` if several groups have a lead; `groups-differ`, `unknown-server`
 */
export function createPlanSwitchOver({ ownAmong, hostOf, ...others }: Shared, times: Parameters<typeof createPool>[1] = {}) {
  const pool = createPool(hostOf, times);
  return async function planSwitchOver({ scope, groups, to }: SwitchOverInput): Promise<SwitchOver> {
    const taskservs = await ownAmong(scope.workspace, groups);
    const asked = chooseGroup(taskservs, groups);
    const [pooled] = await pool(scope, knowGroups(taskservs, [asked]), '')([]);
    if (!pooled) throw refuse(asked.name, 'its taskserv does not know groups any more');
    const hide = await hideFor(others, scope);
    const plan = planNow(taskservs, pooled, to);
    await refuseSecrets(plan.steps, { scope, server: plan.leader }, others);
    // Titles can have text of the hosts in them.
    return { ...plan, steps: plan.steps.map((step) => ({ ...step, title: hide(step.title) })) };
  };
}

function chooseGroup(taskservs: Record<string, AnyTaskserv>, groups: readonly GroupAt[]): GroupAt {
  const led = groups.filter(({ taskserv, module }) => findTaskserv(taskservs, taskserv, module).group?.handOver !== undefined);
  const [only] = led;
  if (only && led.length === 1) return only;
  const list = (some: readonly GroupAt[]) => some.map(({ taskserv, name }) => `${taskserv} "${name}"`).join(', ');
  if (only)
    throw inputError({
      ...{ code: 'bad-arguments', what: WHAT, why: `there are several groups with a leader: ${list(led)}` },
      hint: 'choose one by --taskserv NAME or --group NAME',
    });
  throw refuse(list(groups), 'this service has no lead that can be given to another member');
}

function planNow(taskservs: Record<string, AnyTaskserv>, pooled: PooledGroup, to: string | undefined): SwitchOver {
  const { asked, context } = pooled;
  const { taskserv, name } = asked;
  refuseSeveral(pooled, name, WHAT);
  const { size, serve } = countQuorum(pooled);
  const leader = serve.find(({ standing }) => standing?.leads);
  if (!leader) throw refuse(name, 'no member leads it now', describeRecovery(pooled, serve));
  const next = to === undefined ? undefined : findNext(pooled, to);
  const about = { taskserv, group: name, leader: leader.server, ...(to !== undefined && { to }) };
  if (next === leader) return { ...about, steps: [] };
  if (size < 2) throw refuse(name, `${leader.server} is its only member`, 'add another member to the definition, and apply it');
  if (next && !serve.includes(next)) throw refuse(next.server, describeUnfit(next));
  if (!serve.some((one) => one !== leader))
    throw refuse(name, `no member serves except ${leader.server}, which leads`, describeRecovery(pooled, serve));
  const config = asked.members.find(({ server }) => server === leader.server)?.config;
  const steps = findTaskserv(taskservs, taskserv, asked.module).group?.handOver?.(config, leader, context, next) ?? [];
  return { ...about, steps };
}

function findNext({ asked, context }: PooledGroup, to: string): Member {
  const found = context.members.find(({ server }) => server === to);
  if (found) return found;
  const isLeaving = asked.members.some(({ server, leaves }) => server === to && leaves);
  throw inputError({
    ...{ code: 'unknown-server', what: WHAT, on: to },
    why: isLeaving ? 'the definition does not name this member any more' : `it is no member of the group "${asked.name}"`,
    hint: `its members are ${context.members.map(({ server }) => server).join(', ')}`,
  });
}

function describeUnfit({ state, standing }: Member): string {
  if (state === 'expected') return 'the service is not installed there';
  if (state === 'silent') return 'its host does not answer';
  return `it does not serve${standing?.why === undefined ? '' : `: ${clipText(standing.why, 200)}`}`;
}
