import { setTimeout as sleep } from 'node:timers/promises';
import type { Facts, FoundFacts } from '../../core/host/facts.js';
import type { Question } from '../../core/host/question.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { Group, GroupContext, Member } from '../../core/taskserv/groups/group.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { HostOf, HostRef } from '../host/host.js';
import { limitTime } from '../within-time.js';
import { CLOCK_QUESTION, type ClockOffset, compareClock, findClocksApart } from './member-clocks.js';
import { findTaskserv } from './taskserv-of.js';

/** A member of a group, and where it can be looked at. */
export interface MemberAt {
  server: string;
  /** The provider's id of the machine. Absent without a machine. */
  machine?: string;
  /** Absent where there is no machine, or it was stopped. */
  at?: Omit<HostRef, 'scope'>;
  /** The inventory has the service there. */
  installed?: true;
  /** The definition does not name it any more, and it is still there: it counts for the quorum until it goes. */
  leaves?: true;
  /** Configuration with which it runs; without a service there, the wanted one. */
  config: unknown;
}

/** A group of which the host has a member, and all its members in the order of the definition. */
export interface GroupAt {
  taskserv: string;
  /** Content address of its code, where that is the workspace's own. */
  module?: string;
  name: string;
  members: MemberAt[];
  /** Servers whose members the operation brings to what is wanted, before those that serve now. Only for the first decision. */
  repairs?: string[];
}

/** A group as it was seen. */
export interface PooledGroup {
  asked: GroupAt;
  rules: Pick<AnyGroup, 'quorum' | 'shares' | 'leaderFirst'>;
  /** As plans get to know it. */
  context: GroupContext;
  /** All members, also those that leave. */
  all: Member[];
  /** Seconds by which clocks are ahead of the others, or behind (negative), by server. Absent: none is known to be apart. */
  clocks?: Readonly<Record<string, number>>;
}

interface Asked {
  found: FoundFacts<Facts>;
  clock?: ClockOffset;
}

/** Milliseconds that another member may take, and how long one that could not be asked is left alone before a second try. */
const EACH_MS = 8_000;
const PAUSE_MS = 1_000;

type AnyGroup = Group<unknown, Facts>;
type OwnAnswers = (FoundFacts<Facts> | undefined)[];

interface AskedGroup {
  asked: GroupAt;
  group: AnyGroup;
}

/** The groups with their taskservs' rules. One whose taskserv knows no groups any more is left out. */
export const knowGroups = (taskservs: Record<string, AnyTaskserv>, groups: readonly GroupAt[] = []): AskedGroup[] =>
  groups.flatMap((asked) => {
    const { group } = findTaskserv(taskservs, asked.taskserv, asked.module);
    return group ? [{ asked, group: group as AnyGroup }] : [];
  });

/** What a member is asked. */
const createQuestion = ({ asked: { taskserv }, group }: AskedGroup, { config }: MemberAt): Question => ({
  unit: taskserv,
  facts: group.facts(config),
  config,
});

/** Questions about the members on one server, in the order of the groups. */
export const askOwn = (groups: readonly AskedGroup[], server: string): Question[] =>
  groups.flatMap((one) =>
    one.asked.members.filter((member) => member.server === server).map((member) => createQuestion(one, member)),
  );

/**
 * Asks all other members of groups about themselves, side by side. One that does not answer in time is `silent`: nothing
 * of it is assumed.
 */
export function createPool(hostOf: HostOf, { eachMs = EACH_MS, pauseMs = PAUSE_MS } = {}) {
  const ask = async (scope: Scope, at: NonNullable<MemberAt['at']>, question: Question, longestMs: number) => {
    const look = async (): Promise<Asked | undefined> => {
      const from = Date.now();
      const [own, asked] = (await hostOf({ ...at, scope }).look([question, CLOCK_QUESTION])).answers;
      const clock = compareClock(asked?.found, from, Date.now());
      return own && { found: own.found as FoundFacts<Facts>, ...(clock && { clock }) };
    };
    const twice = () => look().catch(() => sleep(pauseMs).then(look));
    return limitTime(longestMs, twice).catch(() => undefined);
  };

  /**
   * @param seconds that each may take, if that is less
   * @param server whose own members are left to its own look
   * @returns given the answers of the own members, in the order of the groups, and their host's clock, the groups as they are
   */
  return (
    scope: Scope,
    groups: readonly AskedGroup[],
    server: string,
    seconds?: number,
  ): ((own: OwnAnswers, clock?: ClockOffset) => Promise<PooledGroup[]>) => {
    const longestMs = seconds === undefined ? eachMs : Math.min(eachMs, seconds * 1_000);
    const others = groups.map((one) =>
      one.asked.members.map((member) =>
        member.server === server || !member.at ? undefined : ask(scope, member.at, createQuestion(one, member), longestMs),
      ),
    );
    return async (own, ownClock) => {
      const answers = await Promise.all(others.map((found) => Promise.all(found)));
      return groups.map(({ asked, group }, index): PooledGroup => {
        const all = asked.members.map((member, at) => {
          const found = member.server === server ? own[index] : answers[index]?.[at]?.found;
          return describeMember(group, member, found, member.server === server);
        });
        const members = all.filter((_, at) => !asked.members[at]?.leaves);
        const offsets = asked.members.flatMap((member, at): [string, ClockOffset][] => {
          const clock = member.server === server ? ownClock : answers[index]?.[at]?.clock;
          return clock ? [[member.server, clock]] : [];
        });
        const clocks = findClocksApart(new Map(offsets));
        const { quorum, shares, leaderFirst } = group;
        return {
          ...{
            asked,
            rules: { quorum, ...(shares && { shares }), ...(leaderFirst && { leaderFirst }) },
            context: { name: asked.name, members },
            all,
          },
          ...(Object.keys(clocks).length > 0 && { clocks }),
        };
      });
    };
  };
}

/** A member from its answers. Without the service in the inventory, it counts only if it has a place in a group, or data. */
function describeMember(group: AnyGroup, member: MemberAt, found: FoundFacts<Facts> | undefined, isOwn: boolean): Member {
  const { server, machine, at, installed } = member;
  const about = { server, address: server, ...(machine !== undefined && { machine }) };
  if (!found) return { ...about, state: isOwn || (!installed && !at) ? 'expected' : 'silent' };
  const standing = group.standing(found);
  const { group: joined, id, serves } = standing;
  if (!installed && joined === undefined && id === undefined && !serves) return { ...about, state: 'expected', found };
  return { ...about, state: 'seen', standing, found };
}
