import { inputError } from '../../../core/errors.js';
import { allowStart } from '../../../core/host/shell.js';
import type { Step } from '../../../core/host/step.js';
import type { Group, GroupContext, Standing } from '../../../core/taskserv/groups/group.js';
import type { PlanContext } from '../../../core/taskserv/taskserv.js';
import { type FoundMember, type MemberFacts, memberFact } from './ask.js';
import type { KeyValueConfig } from './conf.js';
import { keepDataStep, keepLogStep, stopStep } from './keep.js';
import { leaveStep } from './leave.js';
import type { Places } from './places.js';
import { createFounding, handOverStep, joinStep, type KeyValueMember, type Place, waitStep } from './steps.js';

/** Also of one that is expected: the data of a single server may be there. */
const readAnswer = (member: KeyValueMember): FoundMember | undefined =>
  member.state === 'silent' ? undefined : member.found?.member;

const isServing = (member: KeyValueMember): boolean => {
  const own = readAnswer(member);
  return own?.group !== undefined && explain(own) === undefined;
};

/** What a member lacks to serve. Undefined: nothing. */
function explain({ runs, role, linked, follows, view, name }: FoundMember): string | undefined {
  if (!runs) return 'its server does not run';
  if (!role) return 'its server does not answer, or loads its data';
  if (!view) return 'its sentinel does not answer';
  if (view.usable * 2 <= view.voters) return 'its sentinel reaches no majority of the others';
  if (role === 'primary') return view.primary === name ? undefined : `it does not follow ${view.primary} yet`;
  if (follows !== view.primary) return `it does not follow ${view.primary} yet`;
  return linked ? undefined : `it does not have all data of ${view.primary} yet`;
}

type RefusalCode = 'group-unknown' | 'groups-differ' | 'quorum-lost';

const refuse = (code: RefusalCode, { places, server, cluster }: Place, why: string, hint: string) =>
  inputError({ code, what: `plan ${places.name} of the cluster ${cluster}`, on: server, why, hint });

const listNames = (members: readonly KeyValueMember[]): string => members.map(({ server }) => server).join(', ');

/** Steps around the start of a member. */
interface AroundStart {
  /** Before all others, while its former configuration is there. */
  first?: Step[];
  before: Step[];
  founds?: true;
}

/**
 * Whether a member founds the cluster: no other one has data of it, or knows a primary. Its own data of a cluster is from one
 * that all have left, or that was rolled back.
 */
const mayFound = (founder: KeyValueMember, members: readonly KeyValueMember[]): boolean =>
  members.every((member) => {
    const { group, knows, view } = readAnswer(member) ?? {};
    return !knows && !view && (member === founder || group === undefined);
  });

/** What a host without a place in the cluster does: the first one founds it if none is there, each other one joins. */
function enter(place: Place, own: KeyValueMember, members: readonly KeyValueMember[]): AroundStart {
  const others = members.filter((member) => member !== own);
  const known = readAnswer(own);
  const join = { before: [...(known?.data ? [keepDataStep(place)] : []), joinStep(place)] };
  if (members.some(isServing)) return join;
  const silent = others.filter(({ state }) => state === 'silent');
  if (silent.length > 0)
    throw refuse(
      'group-unknown',
      place,
      `${listNames(silent)} may have the cluster, and does not answer`,
      `bring ${listNames(silent)} back: the only copy of the data may be there`,
    );
  const withData = members.filter((member) => readAnswer(member)?.group !== undefined);
  const [newest] = withData;
  if (withData.length > 1 || (newest && !mayFound(newest, members)))
    throw refuse(
      'quorum-lost',
      place,
      `no majority of the members serves: ${listNames(withData)} has data`,
      `start the members that have data, or choose the one that keeps it (taskservs/${place.places.name}/README.md)`,
    );
  if ((newest ?? members[0]) !== own) return join;
  const single = others.filter((member) => readAnswer(member)?.data);
  if (!known?.data && single.length > 0)
    throw refuse(
      'groups-differ',
      place,
      `it would found the cluster without data, and ${listNames(single)} has data`,
      `name ${single[0]?.server} first in the definition: it founds the cluster with its data then`,
    );
  return { ...((known?.runs || known?.data) && { first: [keepLogStep(place)] }), before: [createFounding(place)], founds: true };
}

/** Decides the membership of a host from what all members say. */
function decide(place: Place, own: KeyValueMember, members: readonly KeyValueMember[]): AroundStart {
  const known = readAnswer(own);
  if (known?.group === undefined) return enter(place, own, members);
  const serving = members.filter((member) => member !== own && isServing(member));
  if (isServing(own)) return { before: [] };
  // Without a word of sentinel it does not start: it has been removed, or its file is lost.
  if (serving.length === 0) return known.knows ? { before: [] } : enter(place, own, members);
  const isListed = serving.some((member) => readAnswer(member)?.view?.members.includes(place.server));
  const isOurs = serving.some((member) => readAnswer(member)?.group === known.group);
  if (!isOurs || !isListed) return enter(place, own, members);
  return { before: known.knows ? [] : [joinStep(place)] };
}

/**
 * Adds to the steps of a member those that depend on the others.
 *
 * @param steps with the start of the server and of sentinel
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMember(places: Places, config: KeyValueConfig, context: PlanContext, steps: readonly Step[]): Step[] {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const server = context.host.name;
  const own = members.find((member) => member.server === server);
  const others = members.filter((member) => member !== own).map(({ address }) => address);
  const place: Place = { places, config, cluster: config.cluster ?? '', server, others };
  if (!own) throw refuse('group-unknown', place, 'it is not known who the members are', 'update the worker');
  const decided = decide(place, own, members);
  const { first = [], founds } = decided;
  const before = endBefore(places, decided.before, steps);
  const known = readAnswer(own);
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  const stops = steps.some((step) => 'service' in step && step.service.name === places.server && step.service.change === 'restart');
  // Who leads may change until then: the step itself looks.
  const lead = stops && known?.group !== undefined && others.length > 0 && before.length === 0 ? [handOverStep(place)] : [];
  // Data that is put aside stops both daemons.
  const again = before.some(({ title }) => title.startsWith('Keep ')) ? listStarts(places, steps) : [];
  const starts =
    again.length > 0
      ? [...steps.slice(0, start), ...lead, ...before, ...again]
      : [...steps.slice(0, start), ...lead, ...before, ...steps.slice(start)];
  const isDone = index < 0 && before.length === 0 && known?.noted === known?.group && isServing(own);
  return [...first, ...starts, ...(isDone ? [] : [waitStep(place, founds === true)])];
}

/**
 * Ends the daemons before their data is put aside, so that those that ran run again after a roll-back: with their former files if
 * they are started with others, and else right after their data is back.
 */
function endBefore({ server, sentinel }: Places, before: readonly Step[], steps: readonly Step[]): Step[] {
  const isStarted = (name: string) => steps.some((step) => 'service' in step && step.service.name === name);
  const same = [server, sentinel].filter((name) => !isStarted(name));
  return before.flatMap((step) => {
    if (!step.title.startsWith('Keep ') || !('run' in step)) return [step];
    const undo = same.length > 0 ? `${step.undo}\n${allowStart(...same)}\nsystemctl start ${same.join(' ')}` : step.undo;
    return [...[server, sentinel].filter(isStarted).map(stopStep), { ...step, ...(undo !== undefined && { undo }) }];
  });
}

/** Starts of both daemons, whether they run now or not. */
function listStarts({ server, sentinel }: Places, steps: readonly Step[]): Step[] {
  return [server, sentinel].map((name) => {
    const planned = steps.find((step) => 'service' in step && step.service.name === name);
    const service = planned && 'service' in planned ? planned.service : { name, state: 'running' as const, enabled: true };
    const { change: _, ...rest } = service;
    return { title: `Start ${name}`, service: rest };
  });
}

/** The members of a cluster: sentinel decides by majority who leads. */
export const createGroup = (places: Places): Group<KeyValueConfig, MemberFacts> => ({
  of: ({ cluster }) => cluster,
  facts: (config) => ({ member: memberFact(places, config, config.cluster ?? '') }),
  standing: ({ member }): Standing => {
    const why = explain(member);
    const { group, view, role, runs, data } = member;
    const serves = group !== undefined && why === undefined;
    return {
      ...(group !== undefined && { group }),
      serves,
      ...(serves && role === 'primary' && { leads: true as const }),
      ...(serves && view && { voters: view.voters }),
      ...(why !== undefined && (group !== undefined || runs || data) && { why }),
    };
  },
  quorum: 'majority',
  leave: (config, { server }, { name, members }) => {
    const stays = members.filter((one) => one.server !== server).map(({ address }) => address);
    const isReplaced = members.some((one) => one.server === server);
    return [leaveStep({ places, config, cluster: name, server, others: stays }, isReplaced)];
  },
});
