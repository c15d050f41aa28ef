import type { PackageChange } from '../../core/host/archive.js';
import { absentValues } from '../../core/host/facts.js';
import type { Answer, Question } from '../../core/host/question.js';
import type { RanCommand } from '../../core/host/ran-command.js';
import type { Step } from '../../core/host/step.js';
import type { StepChange } from '../../core/host/step-change.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { Connection } from '../../core/machine/provider.js';
import type { GroupStatus } from '../../core/taskserv/groups/group-status.js';
import type { Peer } from '../../core/taskserv/taskserv.js';
import type { Dependencies } from '../dependencies.js';
import { hideFor, hideInValue } from '../hidden.js';
import type { HostOf, Machine, Sight } from '../host/host.js';
import { sayFirstSeen } from '../host/say-first-seen.js';
import { callContexts } from '../machine/call-context.js';
import type { ConnectionOf } from '../machine/provider-connections.js';
import { isOfRecords, lookAtRecords } from '../records/look-at-records.js';
import { createIdentify, type HeldDataAt } from './held-data.js';
import { createHostContext, type PlannedServer } from './host-context.js';
import { CLOCK_QUESTION, compareClock } from './member-clocks.js';
import type { OwnAmong } from './own-modules.js';
import { askOwn, createPool, type GroupAt, knowGroups, type PooledGroup } from './pool-groups.js';
import { describeGroup, describeStanding, hideWhy, hideWhys, refuseHarm, type StandingMark } from './quorum.js';
import { refuseSecrets } from './refuse-secrets.js';
import { sweepExpired } from './shares/kept-shares.js';
import { findNeededShares, type NeededShare } from './shares/shares.js';
import { refuseFull } from './unfit-hosts.js';
import { type FormerServices, formerUnits, planRepairs } from './units/former-services.js';
import { planUnits } from './units/plan-units.js';
import { addReplaced } from './units/replaced.js';
import { stepExplainer } from './units/step-explainer.js';
import { createUnits, type WantedUnits } from './units/units-of.js';

export interface DecideInput extends WantedUnits {
  scope: Scope;
  server: PlannedServer;
  /** Absent: the host does not exist yet, and the steps are those expected. */
  connection?: Connection;
  peers: readonly Peer[];
  /** Data of other services on which they work. */
  heldData?: readonly HeldDataAt[];
  /** Groups of which the host has members. */
  groups?: readonly GroupAt[];
  /** Say of each step what it changes; with `lines` also in files, line by line. For previews. */
  explain?: 'changes' | 'lines';
  /** The former goal. With it, steps that only repair are marked. */
  former?: FormerServices;
  /** Also what tells each step from others. */
  digests?: true;
}

/** Decision about one unit of a host. */
export interface DecidedService {
  /** The name of the taskserv, or of the built-in unit (core/host/volumes-unit.ts). */
  taskserv: string;
  remove?: true;
  /** Pending steps. */
  steps: Step[];
  /** How many of the first steps are the host's own: names of other servers. Absent: none. */
  ahead?: number;
  /** The version found on the host. */
  installed?: string;
  /** Newer package of the host's archive, if it was queried. */
  newer?: PackageChange;
  healthy: boolean;
  /** Why it is not healthy. */
  why?: string;
  /** Changes of each step, in the same order, if they were requested. */
  changes?: StepChange[];
  /** The positions of the steps that only repair what had drifted; only where that was asked for, and there are some. */
  repairs?: number[];
  /** Where its taskserv makes groups: how it stands in its own. */
  standing?: StandingMark;
  /** Shares of its group that the steps refer to. */
  shares?: NeededShare[];
  /** The whole group for people, if steps are explained. */
  group?: GroupStatus;
  /** Said by the first: the host's key was pinned by this look as it was shown, with its fingerprint. */
  hostKey?: string;
  /** Said by the first: the commands of the definition that this look ran; only where steps are explained. */
  ran?: RanCommand[];
}

type SeeDependencies = Pick<Dependencies, 'logs' | 'taskQueue' | 'secrets' | 'providers' | 'env'> & {
  ownAmong: OwnAmong;
  hostOf: HostOf;
  connectionOf: ConnectionOf;
};

interface Seen {
  decided: DecidedService[];
  /** Absent where there is no machine that could be looked at. */
  machine?: Machine;
  groups: PooledGroup[];
  /** The same for people, by taskserv. */
  statuses?: Record<string, GroupStatus>;
}

/**
 * Looks at one host and plans, whether or not there is room for it. A second argument: the seconds that a single fact or
 * check may take.
 *
 * @throws `unsupported-host`
 */
export function createSee({ ownAmong, logs, hostOf, ...others }: SeeDependencies) {
  const identify = createIdentify(hostOf);
  const pool = createPool(hostOf);
  return async function see(input: DecideInput, probeSeconds?: number): Promise<Seen> {
    const { scope, server, connection, peers, explain, former, digests = false } = input;
    const host = connection && hostOf({ scope, server: server.name, provider: server.provider, connection });
    const hide = await hideFor(others, scope);
    const address = host ? host.privateAddress : expectAddress(server);
    // Only an existing host can answer questions about itself.
    const wanted = host ? input : { ...input, names: undefined, volumes: undefined };
    const taskservs = await ownAmong(scope.workspace, [...input.ensure, ...input.remove, ...(former?.ensure ?? [])]);
    const units = createUnits(taskservs, wanted, { host: createHostContext(server, address), peers });
    const past = former ? formerUnits(taskservs, former, { host: createHostContext(server, address), peers }) : [];
    const known = knowGroups(taskservs, input.groups);
    const own = host ? askOwn(known, server.name) : [];
    await sweepExpired(others, scope);
    const pooling = pool(scope, known, server.name, probeSeconds);
    const asked = [...(explain ? units.map(addReplaced) : units), ...past, ...own, ...(own.length > 0 ? [CLOCK_QUESTION] : [])];
    const from = Date.now();
    const { machine, answers } = host ? await host.look(asked, probeSeconds) : await createExpectedSight(asked, input, others);
    const clock = own.length > 0 ? compareClock(answers.at(-1)?.found, from, Date.now()) : undefined;
    const context = createHostContext(server, address, machine);
    if (machine) for (const unit of units) unit.refuse?.(context);
    const explained = explain && stepExplainer({ lines: explain === 'lines', digests, hide });
    const heldData = input.heldData && (await identify(scope, taskservs, input.heldData));
    const groups = await pooling(
      answers.slice(units.length + past.length).map(({ found }) => found),
      clock,
    );
    const contexts = Object.fromEntries(groups.map((one) => [one.asked.taskserv, one.context]));
    const around = { host: context, peers, ...(heldData && { heldData }), ...(groups.length > 0 && { groups: contexts }) };
    const planned = planUnits(units, answers, around, explained);
    const then = { units: past, answers: answers.slice(units.length), around };
    await refuseSecrets(
      planned.flatMap(({ steps }) => steps),
      { scope, server: server.name },
      others,
    );
    const statuses = Object.fromEntries(groups.map((one) => [one.asked.taskserv, hideWhys(describeGroup(one), hide)]));
    const versionOf = (taskserv: string) => input.ensure.find(({ name }) => name === taskserv)?.version ?? '';
    const repairs = former && planRepairs(planned, former, then);
    const decided = planned.map(({ unit: taskserv, steps, changes, ...rest }): DecidedService => {
      const own = repairs?.get(taskserv);
      // Titles and versions can have text of the host in them.
      const told = { ...hideInValue(rest, hide), steps: steps.map((step) => ({ ...step, title: hide(step.title) })) };
      const shares = findNeededShares(groups, server.name, { unit: taskserv, steps });
      const standing = rest.remove ? undefined : standingOf(groups, taskserv, server.name, versionOf(taskserv));
      return {
        ...{ taskserv, ...told, ...(changes && { changes }) },
        ...(own && own.length > 0 && !rest.remove && { repairs: own }),
        ...(shares.length > 0 && { shares: shares.map((one) => ({ ...one, title: hide(one.title) })) }),
        ...(standing && { standing: hideWhy(standing, hide) }),
        ...(standing && explain && { group: statuses[taskserv] }),
      };
    });
    const hostKey = host && (await sayFirstSeen(host, server.name, logs));
    if (hostKey && decided[0]) decided[0].hostKey = hostKey;
    const ran = explain ? answers.flatMap((answer) => answer.ran ?? []) : [];
    if (ran.length > 0 && decided[0]) decided[0].ran = each(hideInValue(ran, hide));
    return { decided, groups, statuses, ...(machine && { machine }) };
  };
}

/** Each once: a service may be asked about as it is wanted, and as it was wanted before. */
const each = (ran: readonly RanCommand[]): RanCommand[] => [...new Map(ran.map((one) => [JSON.stringify(one), one])).values()];

const standingOf = (
  groups: readonly PooledGroup[],
  taskserv: string,
  server: string,
  version: string,
): StandingMark | undefined => {
  const group = groups.find(({ asked }) => asked.taskserv === taskserv);
  return group && describeStanding(group, server, version);
};

export type See = ReturnType<typeof createSee>;

/**
 * Looks at one host and decides: for each unit of it the steps still to be done, and
 * whether it is healthy now. Removals come first in the answer, dependants before what
 * they depend on; then what the host itself needs, then the services in dependency order.
 */
export function createDecide(see: See) {
  return async function decide(input: DecideInput): Promise<DecidedService[]> {
    const { decided, machine, groups } = await see(input);
    if (machine) refuseFull(input.server.name, machine, decided);
    for (const group of groups) {
      const one = decided.find(({ taskserv, remove }) => taskserv === group.asked.taskserv && !remove);
      if (one) refuseHarm(group, input.server.name, one);
    }
    return decided;
  };
}

/** Expected answer of a host that does not exist yet: it has nothing. Records of zones are still looked at. */
async function createExpectedSight(
  questions: readonly Question[],
  { scope, server }: { scope: Scope; server: PlannedServer },
  { connectionOf, taskQueue }: { connectionOf: ConnectionOf } & Pick<Dependencies, 'taskQueue'>,
): Promise<Sight> {
  const ofRecords = questions.filter(isOfRecords);
  const found =
    ofRecords.length > 0
      ? await lookAtRecords(ofRecords, { server: server.name }, connectionOf, callContexts(taskQueue)(scope))
      : [];
  return {
    answers: questions.map((question) => found[ofRecords.indexOf(question)] ?? expectedAnswer(question)),
  };
}

const expectedAnswer = ({ facts, health }: Question): Answer => ({
  found: absentValues(facts),
  ...(health ? { why: 'not installed yet' } : {}),
  toDo: (planned) => planned,
  toRemove: () => [],
  installed: () => undefined,
});

/** Its name stands for the address that it will have; a machine that exists already may have none. */
const expectAddress = ({ name, existing }: PlannedServer): string | undefined => (existing ? undefined : name);
