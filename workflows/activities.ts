import { ActivityCancellationType, type ActivityOptions, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Lock } from '../core/infra/lock.js';
import type { Timing } from '../core/operation/operation.js';
import { HOSTS, providerIn } from '../core/operation/rate-limits.js';
import type {} from './fence.js';
import { callNearOrQueued, type HowNear } from './near-or-queued.js';
import type {} from './patience.js';
import { type Callable, router } from './routing.js';

const MINUTE = 60_000;

/**
 * Activities of operations, with their time limits in one place. Retries are bounded by the worked time
 * (workflows/patience.ts), not by their number or by the clock.
 *
 * @param under the lock under which all of them run
 * @param isNear whether providers are queried from within the workflow's own task. That saves a round trip to the
 * server, which matters for thousands of operations. A long answer would block queries
 * @param awaitStore receives the reason why a report waits
 */
export function activitiesFor(
  { retryMs = 1_000, giveUpMs, callMs = 5 * MINUTE, heartbeatMs = 15_000 }: Timing,
  under: () => Lock,
  isNear: boolean,
  awaitStore: HowNear['say'],
) {
  const retry = { initialInterval: retryMs, backoffCoefficient: 2, maximumInterval: Math.max(retryMs, 10_000) };
  const looking: ActivityOptions = {
    under,
    startToCloseTimeout: MINUTE,
    patienceMs: giveUpMs ?? MINUTE,
    heartbeatTimeout: heartbeatMs,
    retry,
  };
  const changing: ActivityOptions = {
    under,
    changes: true,
    startToCloseTimeout: callMs,
    patienceMs: giveUpMs ?? 15 * MINUTE,
    // How soon the death of a worker is noticed.
    heartbeatTimeout: heartbeatMs,
    // Activities with changes are awaited: their outcome must be known before a roll-back.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry,
  };
  const working: ActivityOptions = {
    ...changing,
    startToCloseTimeout: 60 * MINUTE,
    patienceMs: giveUpMs ?? 60 * MINUTE,
  };
  const near = { under, startToCloseTimeout: MINUTE, retry, localRetryThreshold: '5 s' } as const;
  const nearby = proxyLocalActivities<Activities>({ ...near, patienceMs: looking.patienceMs });
  const waiting: ActivityOptions = { ...changing, startToCloseTimeout: 10 * MINUTE };
  const checking: ActivityOptions = { ...waiting, changes: undefined };
  const pausing: ActivityOptions = { under, startToCloseTimeout: MINUTE, patienceMs: 5 * MINUTE, retry };
  const hosts = () => HOSTS;
  const routed = router();

  /** Activities by the queue of the workflow's own workers. */
  const asked = <N extends Name>(options: ActivityOptions, ...names: N[]): Pick<Proxied, N> =>
    picked(names, proxyActivities<Activities>(options), (_, one) => one);

  /** Activities that have a queue of their own if the account that they are about has one. */
  const onOwnQueue = <N extends Name>(options: ActivityOptions, accountOf: AccountOf<N>, ...names: N[]): Routed<N> =>
    picked(names, proxyActivities<Activities>(options), (name, one) => routed(name, one, options, accountOf));

  const planServers = isNear ? nearby.planServers : proxyActivities<Activities>(looking).planServers;
  return {
    ...asked(pausing, 'pause'),
    ...asked(looking, 'planDrains', 'planMove', 'planLeave', 'planSwitchOver', 'writtenSince'),
    // Hosts without an answer at the first attempt are queried individually.
    ...asked({ ...looking, retry: { maximumAttempts: 1 } }, 'decideHosts'),
    ...(isNear ? { findCompensations: nearby.findCompensations } : asked(looking, 'findCompensations')),
    ...asked(changing, 'forgetKeys'),
    ...asked({ ...changing, changes: undefined }, 'askNewInfra'),
    ...asked(working, 'movePart', 'undoMovePart'),
    ...onOwnQueue(looking, hosts, 'decide'),
    ...onOwnQueue(working, hosts, 'act', 'undo'),
    ...onOwnQueue(checking, hosts, 'verify'),
    ...onOwnQueue(looking, providerIn, 'lookAtPower'),
    ...onOwnQueue(changing, providerIn, 'createNetwork', 'deleteNetwork', 'powerOff', 'powerOn'),
    ...onOwnQueue(changing, providerIn, 'createServer', 'updateServer', 'deleteServer'),
    ...onOwnQueue(waiting, providerIn, 'serverReady'),
    planServers: routed('planServers', planServers, looking, providerIn),
    /** The same within the operation's own task: for servers of which no provider is asked. */
    planKnown: routed('planServers', nearby.planServers, looking, providerIn),
    tell: tellUntilHeard({ under, say: awaitStore, summary: 'Report to the infra', near }),
  };
}

type Name = keyof Activities;
type Proxied = ReturnType<typeof proxyActivities<Activities>>;
type Routed<N extends Name> = { [K in N]: Callable<K> };
type AccountOf<N extends Name> = (...args: Parameters<Activities[N]>) => string;

/** Some of the activities, each as `made` makes it. */
const picked = <N extends Name, Made>(names: N[], all: Proxied, made: (name: N, one: unknown) => unknown): Made =>
  Object.fromEntries(names.map((name) => [name, made(name, all[name])])) as Made;

/** A report is repeated until the infra has received it. */
function tellUntilHeard(how: HowNear) {
  const tell = (...news: Parameters<Activities['tell']>) => callNearOrQueued('tell', news, how);
  return Object.assign(tell, { executeWithOptions: (_: object, news: Parameters<Activities['tell']>) => tell(...news) });
}

export type OperationActivities = ReturnType<typeof activitiesFor>;
