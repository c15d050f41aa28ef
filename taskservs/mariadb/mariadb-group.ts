import { type Group, type GroupContext, inputError, type PlanContext, type Step } from '../../sdk/index.js';
import { type FoundMember, type MariadbFacts, memberFact } from './mariadb-ask.js';
import type { MariadbConfig } from './mariadb-config.js';
import {
  clearPartialStep,
  createFounding,
  createGuard,
  keepDataStep,
  leaveStep,
  type Place,
  returnStep,
  stopStep,
  waitStep,
} from './mariadb-steps.js';

export type MariadbMember = GroupContext<{ member: FoundMember }>['members'][number];

/** Also of one that is expected: the data of a single server may be there. */
const found = (member: MariadbMember): FoundMember | undefined => (member.state === 'silent' ? undefined : member.found?.member);

type RefusalCode = 'group-unknown' | 'groups-differ' | 'quorum-lost';

const refuse = (code: RefusalCode, { server, cluster }: Pick<Place, 'server' | 'cluster'>, why: string, hint: string) =>
  inputError({ code, what: `plan mariadb of the cluster ${cluster}`, on: server, why, hint });

const names = (members: readonly MariadbMember[]): string => members.map(({ server }) => server).join(', ');

/** Where the data of a member ends, for people. */
const describeEnd = (member: MariadbMember): string => {
  const { seqno, runs, waits } = found(member) ?? { runs: false };
  if (runs && !waits) return `${member.server} (runs)`;
  return `${member.server} (${seqno === undefined ? 'its last write is not known' : `last write ${seqno}`})`;
};

/** What to do if no member serves. Only people can know that one that is missing has no newer write. */
function describeRecovery(withData: readonly MariadbMember[], silent: readonly MariadbMember[]): string {
  const seqno = (member: MariadbMember): number => found(member)?.seqno ?? -1;
  const unknown = withData.filter((member) => seqno(member) < 0);
  const [newest] = [...withData].sort((one, other) => seqno(other) - seqno(one));
  if (silent.length > 0) return `bring ${names(silent)} back: the newest data may be there`;
  const down = withData.filter((member) => !found(member)?.runs);
  if (unknown.length > 0 && down.length === 0) return 'they look for each other: apply again in a minute';
  if (unknown.length > 0) return `run \`systemctl start mariadb\` on ${names(down)} at the same time, then apply again`;
  return `if they do not find each other within a minute, found the cluster again on ${newest?.server}, which has the newest data: run \`systemctl stop mariadb\`, set \`safe_to_bootstrap: 1\` in /var/lib/mysql/grastate.dat there, run \`galera_new_cluster\`, then apply again`;
}

/** The members as a plan needs them. */
interface Sight {
  place: Place;
  self: MariadbMember;
  own: FoundMember | undefined;
  isFirst: boolean;
  others: readonly MariadbMember[];
  serving: readonly MariadbMember[];
  /** Others that have data of a cluster. */
  withData: readonly MariadbMember[];
  silent: readonly MariadbMember[];
}

/** Whether a member may be in a cluster, as far as is known. */
const isActive = (own: FoundMember | undefined): boolean => own?.runs === true && !own.waits;

/**
 * Whether a member may found the cluster again with its data: it was the last one that served, and each other one says that it is
 * in no cluster, and that it has no later write.
 */
function mayFoundAgain({ own, withData, silent, others }: Sight): boolean {
  if (own?.group === undefined || isActive(own) || silent.length > 0) return false;
  if (others.some((member) => isActive(found(member)))) return false;
  if (own.safe !== true || own.seqno === undefined) return false;
  const end = own.seqno;
  return withData.every((member) => {
    const { group, safe, seqno } = found(member) ?? {};
    return group === own.group && !safe && seqno !== undefined && seqno <= end;
  });
}

/** Decides whether a member founds the cluster, as no member serves. */
function decideFounding(sight: Sight): Step[] {
  const { place, own, others, withData, silent, isFirst } = sight;
  if (mayFoundAgain(sight)) {
    const waiting = others.filter((member) => found(member)?.waits).map(({ address }) => address);
    return [createFounding(place, waiting, false)];
  }
  if (own?.group !== undefined) {
    // Those that crashed together find each other again once all of them run.
    const mayFind = !own.runs && (silent.length > 0 || withData.length === 0 || withData.some((member) => found(member)?.runs));
    if (mayFind || isActive(own)) return [];
    const all = [sight.self, ...withData];
    throw refuse(
      'quorum-lost',
      place,
      `no member serves: ${all.map(describeEnd).join(', ')} have the data`,
      describeRecovery(all, silent),
    );
  }
  if (silent.length > 0)
    throw refuse(
      'group-unknown',
      place,
      `${names(silent)} may have the cluster, and does not answer`,
      `bring ${names(silent)} back: the only copy of the data may be there`,
    );
  if (withData.length > 0)
    throw refuse(
      'quorum-lost',
      place,
      `no member serves: the data is on ${withData.map(describeEnd).join(', ')}`,
      describeRecovery(withData, silent),
    );
  if (!isFirst) return [];
  const single = others.filter((member) => found(member)?.databases);
  if (!own?.databases && single.length > 0)
    throw refuse(
      'groups-differ',
      place,
      `it would found the cluster without data, and ${names(single)} has databases`,
      `name ${single[0]?.server} first in the definition: it founds the cluster with its data then`,
    );
  return [createFounding(place, [], true)];
}

/** Steps before the start of a member that depend on the others. */
function prepare(sight: Sight, { starts, stops }: { starts: boolean; stops: boolean }): Step[] {
  const { place, own, serving, withData, silent } = sight;
  if (own?.serves) {
    if (!stops) return [];
    // The last one founds its cluster again with its data, if that is nowhere else.
    if (own.size === 1 && serving.length === 0 && withData.length === 0 && silent.length === 0)
      return [createFounding(place, [], false)];
    return [createGuard(place)];
  }
  if (serving.length === 0) return starts || !isActive(own) ? decideFounding(sight) : [];
  const [cluster] = serving.map((member) => found(member)?.group);
  const isForeign = own?.group !== undefined && own.group !== cluster;
  const isSingle = own?.group === undefined && own?.databases === true && !own.partial && !own.transfers;
  if (isForeign || isSingle) return [...(starts ? [stopStep] : []), keepDataStep(place.cluster, !starts)];
  return own?.partial ? [clearPartialStep(place.cluster)] : [];
}

/** Starts it with the files that it read last. */
const START_STEP: Step = { title: 'Start mariadb', service: { name: 'mariadb', state: 'running', enabled: true } };

/**
 * Adds to the steps of a member those that depend on the others.
 *
 * @param steps with the start of mariadb
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMember(config: MariadbConfig, context: PlanContext, steps: Step[]): Step[] {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const server = context.host.name;
  const cluster = config.cluster ?? '';
  const self = members.find((member) => member.server === server);
  if (!self) throw refuse('group-unknown', { server, cluster }, 'it is not known who the members are', 'update the worker');
  const others = members.filter((member) => member !== self);
  const place: Place = { cluster, clusterPort: config.clusterPort, server, others: others.map(({ address }) => address) };
  const own = found(self);
  const sight: Sight = {
    ...{ place, self, own, others, isFirst: members[0] === self },
    serving: others.filter((member) => found(member)?.serves),
    withData: others.filter((member) => found(member)?.group !== undefined),
    silent: others.filter(({ state }) => state === 'silent'),
  };
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  const starts = index >= 0;
  const stops = steps.some((step) => 'service' in step && step.service.change === 'restart');
  const before = prepare(sight, { starts, stops });
  const returns = !starts && own?.out && sight.serving.length > 0 ? [returnStep(place)] : [];
  const joins = !starts && own?.runs && !own.serves && sight.serving.length > 0;
  // What puts data aside ends mariadb.
  const ends = before.some(({ title }) => /^(Keep|Move) /.test(title));
  const waits = starts || joins || ends ? [waitStep(place)] : [];
  const service = steps.slice(start, start + (starts ? 1 : 0));
  const after = steps.slice(start + service.length);
  const again = ends && !starts ? [START_STEP] : service;
  return [...steps.slice(0, start), ...before, ...again, ...(ends ? [] : returns), ...waits, ...after];
}

/** Whether a member gets its accounts and databases from the others. */
export function joinsOthers(context: PlanContext): boolean {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const serving = members.filter((member) => found(member)?.serves);
  if (serving.length > 0) return !serving.some(({ server }) => server === context.host.name);
  return members[0]?.server !== context.host.name;
}

function explain({ group, serves, runs, waits, out, state, seqno, partial, transfers }: FoundMember): string | undefined {
  if (serves) return undefined;
  if (transfers) return 'it gets all data';
  if (partial) return 'the transfer of all data to it was cut off';
  if (out) return 'it was taken out of the cluster';
  if (waits) return `it looks for the others${seqno === undefined ? '' : `, its last write is ${seqno}`}`;
  if (runs) return `no majority agrees with it, or it gets the data${state === undefined ? '' : `: ${state}`}`;
  if (group === undefined) return undefined;
  return `mariadb does not run${seqno === undefined ? '' : `, its last write is ${seqno}`}`;
}

/** The members of a cluster. */
export const mariadbGroup: Group<MariadbConfig, MariadbFacts> = {
  of: ({ cluster }) => cluster,
  facts: () => ({ member: memberFact() }),
  standing: ({ member }) => {
    const because = explain(member);
    return {
      ...(member.group !== undefined && { group: member.group }),
      serves: member.serves,
      // Galera counts those that serve: it forgets lost members after seconds, and those that ended in order at once.
      ...(member.size !== undefined && { voters: member.size }),
      ...(because && { why: because }),
    };
  },
  quorum: 'majority',
  leave: (_, leaving, { name }) => [leaveStep(name, leaving.server)],
};
