import { inputError } from '../../core/errors.js';
import type { Step } from '../../core/host/step.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { Member } from '../../core/taskserv/group.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { HostOf } from '../host/host.js';
import type { OwnAmong } from './own-modules.js';
import { createPool, type GroupAt, knowGroups } from './pool-groups.js';
import { countQuorum, describeRecovery, refuseSeveral } from './quorum.js';
import { findTaskserv } from './taskserv-of.js';

/** A member that is about to go, or whose machine is about to be interrupted. */
export interface LeaveInput {
  scope: Scope;
  /** All members that are there now, the one that goes included. */
  group: GroupAt;
  /** The server of the member. */
  server: string;
  /** Servers of members that stay when all of the operation is done. */
  stay: string[];
  /** It returns as it was: the others only have to do without it for a while. */
  returns?: true;
}

/** Steps on another member, before a member goes. */
export interface Leave {
  server: string;
  taskserv: string;
  /** The server of the member that goes. */
  leaving: string;
  steps: Step[];
}

/**
 * Looks at a group and plans how a member leaves it: on a member that stays and serves, the leader if that stays. Null if
 * there is nothing to do.
 *
 * @throws inputError `quorum-lost` where the others cannot do without it, `groups-differ`
 */
export function createPlanLeave(
  { ownAmong, hostOf }: { ownAmong: OwnAmong; hostOf: HostOf },
  times: Parameters<typeof createPool>[1] = {},
) {
  const pool = createPool(hostOf, times);
  return async function planLeave({ scope, group: asked, server, stay, returns }: LeaveInput): Promise<Leave | null> {
    const taskservs = await ownAmong(scope.workspace, [asked]);
    const [known] = knowGroups(taskservs, [asked]);
    if (!known) return null;
    const [pooled] = await pool(scope, [known], '')([]);
    const leaving = pooled?.all.find((one) => one.server === server);
    if (!pooled || !leaving || !belongs(leaving)) return null;
    const { taskserv } = asked;
    const what = returns ? `interrupt ${taskserv}` : `remove ${taskserv} from the group "${asked.name}"`;
    refuseSeveral(pooled, server, what);
    const { needed, size, serve } = countQuorum(pooled);
    const refuse = (why: string) => {
      throw inputError({ code: 'quorum-lost', what, on: server, why, hint: describeRecovery(pooled, serve) });
    };
    if (size > 1 && serve.length < needed && leaving.standing?.serves !== false)
      refuse(`${serve.length} of ${size} members serve, and ${needed} are needed`);
    const others = serve.filter((one) => one.server !== server);
    const after = returns ? needed : Math.min(needed, pooled.rules.quorum === 'one' ? 1 : Math.floor((size - 1) / 2) + 1);
    if (size > 1 && others.length < after && (leaving.standing?.serves || !returns))
      refuse(`without ${server}, ${others.length} of ${returns ? size : size - 1} members would serve, and ${after} are needed`);
    if (returns) return null;
    const staying = others.filter((one) => stay.includes(one.server));
    const at = staying.find(({ standing }) => standing?.leads) ?? staying[0];
    if (!at) return null;
    const config = asked.members.find((one) => one.server === at.server)?.config;
    const steps = leaveSteps(taskservs, asked, config, leaving, pooled.context);
    return steps.length === 0 ? null : { server: at.server, taskserv, leaving: server, steps };
  };
}

/** A silent one is removed, too: it may be lost for good. */
const belongs = ({ state, standing }: Member): boolean => state === 'silent' || standing?.group !== undefined;

function leaveSteps(
  taskservs: Record<string, AnyTaskserv>,
  { taskserv, module }: GroupAt,
  config: unknown,
  leaving: Member,
  context: Parameters<NonNullable<NonNullable<AnyTaskserv['group']>['leave']>>[2],
): Step[] {
  return findTaskserv(taskservs, taskserv, module).group?.leave?.(config, leaving, context) ?? [];
}
