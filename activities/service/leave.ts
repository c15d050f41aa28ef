import { setTimeout as sleep } from 'node:timers/promises';
import { inputError, ProvisioningError } from '../../core/errors.js';
import type { Step } from '../../core/host/step.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { Dependencies } from '../dependencies.js';
import { hideFor } from '../hidden.js';
import type { HostOf } from '../host/host.js';
import { hasPlace, mustLeave } from './belongs.js';
import type { OwnAmong } from './own-modules.js';
import { createPool, type GroupAt, knowGroups, type PooledGroup } from './pool-groups.js';
import { countNeeded, countQuorum, describeRecovery, refuseSeveral } from './quorum.js';
import { refuseSecrets } from './refuse-secrets.js';
import { findSharesToLeave, type NeededShare } from './shares/shares.js';
import { findTaskserv } from './taskserv-of.js';

/** A member that is about to go, or whose machine is about to be interrupted. */
export interface LeaveInput {
  scope: Scope;
  /** All members that are there now, the one that goes included. */
  group: GroupAt;
  /** The server of the member. */
  server: string;
  /** Servers with a machine whose members stay when all of the operation is done, installed or not. */
  stay: string[];
  /** Servers of other members that the operation removes. */
  goes?: string[];
  /** It returns as it was: the others only have to do without it for a while. */
  returns?: true;
  /** Servers that the operation stops or that are off already, this one included: all of them are missing for as long as it returns. */
  stops?: string[];
  /** Servers that are off, and that the operation starts before this one is interrupted: their members come to serve. */
  comes?: string[];
  /** Milliseconds in which the others may come to serve: the operation interrupted one of them before. Absent: none. */
  withinMs?: number;
}

/** Steps on another member, before a member goes. */
export interface Leave {
  server: string;
  taskserv: string;
  /** The server of the member that goes. */
  leaving: string;
  steps: Step[];
  /** The shares that its steps need, and where each is made, as far as that is known. */
  shares?: NeededShare[];
}

type LeaveDependencies = Pick<Dependencies, 'secrets' | 'providers' | 'env'> & { ownAmong: OwnAmong; hostOf: HostOf };

/** Milliseconds between two looks at a group whose members are expected to come back. */
const AGAIN_MS = 2_000;

/**
 * Looks at a group and plans how a member leaves it: on a member that serves, the leader of those that stay if it can be.
 * Others that go and do not serve leave before it, since a group can do without more of those that serve then. Empty if
 * there is nothing to do.
 *
 * @throws inputError `quorum-lost` where the others cannot do without it, `groups-differ`, `share-not-made`
 */
export function createPlanLeave(
  { ownAmong, hostOf, ...others }: LeaveDependencies,
  { againMs = AGAIN_MS, ...times }: Parameters<typeof createPool>[1] & { againMs?: number } = {},
) {
  const pool = createPool(hostOf, times);
  return async function planLeave(input: LeaveInput): Promise<Leave[]> {
    const { scope, group: asked, withinMs = 0 } = input;
    const taskservs = await ownAmong(scope.workspace, [asked]);
    const [known] = knowGroups(taskservs, [asked]);
    if (!known) return [];
    const until = Date.now() + withinMs;
    const planned = async (): Promise<Leave[]> => {
      const [pooled] = await pool(scope, [known], '')([]);
      try {
        return pooled ? planNow(input, pooled, taskservs) : [];
      } catch (error) {
        if (Date.now() + againMs > until || !(error instanceof ProvisioningError) || error.details.code !== 'quorum-lost')
          throw error;
        await sleep(againMs);
        return planned();
      }
    };
    const leaves = await planned();
    if (leaves.length === 0) return [];
    for (const { server, steps } of leaves) await refuseSecrets(steps, { scope, server }, others);
    // Titles can have text of the hosts in them.
    const hide = await hideFor(others, scope);
    const hidden = <T extends { title: string }>(told: readonly T[]) => told.map((one) => ({ ...one, title: hide(one.title) }));
    return leaves.map(({ shares, ...one }) => ({ ...one, steps: hidden(one.steps), ...(shares && { shares: hidden(shares) }) }));
  };
}

function planNow(
  { group: asked, server, stay, goes = [], returns, stops = [], comes = [] }: LeaveInput,
  pooled: PooledGroup,
  taskservs: Record<string, AnyTaskserv>,
): Leave[] {
  const leaving = pooled.all.find((one) => one.server === server);
  // A member that returns without a place misses nothing.
  if (!leaving || !(returns ? hasPlace(leaving) : mustLeave(pooled, leaving))) return [];
  const { taskserv } = asked;
  const what = returns ? `interrupt ${taskserv}` : `remove ${taskserv} from the group "${asked.name}"`;
  refuseSeveral(pooled, server, what);
  let { size, serve } = countQuorum(pooled);
  const { belong } = countQuorum(pooled);
  const { quorum } = pooled.rules;
  serve = [...serve, ...belong.filter((one) => one.state === 'silent' && comes.includes(one.server))];
  const refuse = (on: string, why: string, hint = describeRecovery(pooled, serve)) => {
    throw inputError({ code: 'quorum-lost', what, on, why, hint });
  };
  const lost = pooled.all.filter(
    (one) => goes.includes(one.server) && one !== leaving && mustLeave(pooled, one) && !one.standing?.serves,
  );
  const chain = returns ? [leaving] : [...lost, leaving];
  for (const one of chain) {
    const needed = countNeeded(quorum, size);
    const others = serve.filter((other) => other !== one && !stops.includes(other.server));
    // A silent one that returns may be what brings the others back; one that goes may be lost while it serves.
    const isNeeded = returns ? one.standing?.serves === true : one.standing?.serves !== false;
    if (size > 1 && serve.length < needed && isNeeded)
      refuse(one.server, `${serve.length} of ${size} members serve, and ${needed} are needed`);
    // One that only the others know of is among the voters that they count.
    const isCounted = belong.includes(one) || (!hasPlace(one) && size > belong.length);
    const remain = isCounted && !returns ? size - 1 : size;
    const after = countNeeded(quorum, remain);
    if (size > 1 && others.length < after && (one.standing?.serves || !returns))
      refuse(
        one.server,
        `without ${stops.length > 1 ? stops.join(', ') : one.server}, ${others.length} of ${remain} members would serve, and ${after} are needed`,
        stops.length > 1 ? 'stop fewer at once, or all members of the group together' : undefined,
      );
    if (returns) return [];
    if (others.length === 0 && one.standing?.group !== undefined && stay.some((name) => name !== one.server))
      refuse(
        one.server,
        one.standing.serves
          ? 'it is the only one that serves: its data would be lost'
          : 'no other member serves: its data may be the only copy',
        'let another member join first: keep this one in the definition until that serves',
      );
    size = Math.max(remain, others.length);
    serve = others;
  }
  const gone = new Set(chain.map((one) => one.server));
  const others = countQuorum(pooled).serve.filter((one) => !gone.has(one.server));
  const staying = others.filter((one) => stay.includes(one.server));
  const candidates = staying.length > 0 ? staying : others;
  const at = candidates.find(({ standing }) => standing?.leads) ?? candidates[0];
  if (!at) return [];
  const config = asked.members.find((one) => one.server === at.server)?.config;
  const { group } = findTaskserv(taskservs, taskserv, asked.module);
  return chain.flatMap((one): Leave[] => {
    const steps = group?.leave?.(config, one, pooled.context) ?? [];
    if (steps.length === 0) return [];
    const shares = findSharesToLeave(pooled, { server: at.server, leaving: one.server }, steps);
    return [{ server: at.server, taskserv, leaving: one.server, steps, ...(shares.length > 0 && { shares }) }];
  });
}
