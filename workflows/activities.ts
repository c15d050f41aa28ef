import { ActivityCancellationType, type ActivityOptions, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Lock } from '../core/infra/lock.js';
import type { Timing } from '../core/operation/operation.js';
import { HOSTS, providerIn } from '../core/operation/rate-limits.js';
import type {} from './fence.js';
import { type HowNear, nearOrQueued } from './near-or-queued.js';
import type {} from './patience.js';
import { router } from './routing.js';

const MINUTE = 60_000;

/**
 * The activities of operations, with their time-outs in one place. Retries are bounded by the time
 * that is worked (workflows/patience.ts), not by number, nor by the clock.
 *
 * @param under the lock under which all of them are done
 * @param isNear whether the providers are asked from within the workflow's own task: no way to
 *   the server and back, which is what thousands at once cost; a long answer would hold up queries
 * @param awaitStore receives what keeps a report waiting
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
    // What changes the world is waited for: its outcome must be known before anything is rolled back.
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
  const { decide, planDrains, planServers: planFromAfar, lookAtPower } = proxyActivities<Activities>(looking);
  // What has no answer the first time is asked of each host by itself.
  const { decideHosts } = proxyActivities<Activities>({ ...looking, retry: { maximumAttempts: 1 } });
  const planServers = isNear ? nearby.planServers : planFromAfar;
  const { findCompensations } = isNear ? nearby : proxyActivities<Activities>(looking);
  const { createNetwork, deleteNetwork, createServer, updateServer, deleteServer, forgetKeys, powerOff, powerOn } =
    proxyActivities<Activities>(changing);
  const { askNewInfra } = proxyActivities<Activities>({ ...changing, changes: undefined });
  const { act, undo, movePart, undoMovePart } = proxyActivities<Activities>(working);
  const { planMove, writtenSince } = proxyActivities<Activities>(looking);
  const waiting: ActivityOptions = { ...changing, startToCloseTimeout: 10 * MINUTE };
  const checking: ActivityOptions = { ...waiting, changes: undefined };
  const { serverReady } = proxyActivities<Activities>(waiting);
  const { verify } = proxyActivities<Activities>(checking);
  const routed = router();
  const hosts = () => HOSTS;
  const { pause } = proxyActivities<Activities>({ under, startToCloseTimeout: MINUTE, patienceMs: 5 * MINUTE, retry });
  return {
    pause,
    decide: routed('decide', decide, looking, hosts),
    decideHosts,
    planDrains,
    planServers: routed('planServers', planServers, looking, providerIn),
    /** The same within the operation's own task: for servers of which no provider is asked. */
    planKnown: routed('planServers', nearby.planServers, looking, providerIn),
    createNetwork: routed('createNetwork', createNetwork, changing, providerIn),
    deleteNetwork: routed('deleteNetwork', deleteNetwork, changing, providerIn),
    createServer: routed('createServer', createServer, changing, providerIn),
    serverReady: routed('serverReady', serverReady, waiting, providerIn),
    updateServer: routed('updateServer', updateServer, changing, providerIn),
    lookAtPower: routed('lookAtPower', lookAtPower, looking, providerIn),
    powerOff: routed('powerOff', powerOff, changing, providerIn),
    powerOn: routed('powerOn', powerOn, changing, providerIn),
    deleteServer: routed('deleteServer', deleteServer, changing, providerIn),
    forgetKeys,
    findCompensations,
    askNewInfra,
    act: routed('act', act, working, hosts),
    undo: routed('undo', undo, working, hosts),
    planMove,
    movePart,
    undoMovePart,
    writtenSince,
    verify: routed('verify', verify, checking, hosts),
    tell: tellUntilHeard({ under, say: awaitStore, summary: 'Report to the infra', near }),
  };
}

/** A report is repeated until the infra has received it. */
function tellUntilHeard(how: HowNear) {
  const tell = (...news: Parameters<Activities['tell']>) => nearOrQueued('tell', news, how);
  return Object.assign(tell, { executeWithOptions: (_: object, news: Parameters<Activities['tell']>) => tell(...news) });
}

export type OperationActivities = ReturnType<typeof activitiesFor>;
