import type { Facts, FoundFacts } from '../../host/facts.js';
import type { Step } from '../../host/step.js';
import type { ShareTimes } from './share.js';

/** What a member of a group says about itself, from the facts that it was asked. */
export interface Standing {
  /** Identity of the group that it belongs to, from its data. Absent: it belongs to none yet. */
  group?: string;
  /** It does its part now: it counts for the quorum. */
  serves: boolean;
  /** It leads now. Absent if it does not, or if the service has no leader. */
  leads?: true;
  /** How many members decide, as it knows. Those that are lost and not removed yet count, too. */
  voters?: number;
  /**
   * Servers of all members that the group has in its list, as this member knows, also of those that are lost or have no vote
   * yet. Absent if the service does not tell, or tells ids only.
   */
  lists?: readonly string[];
  /** The service's own id of this member. */
  id?: string;
  /** What is wrong with it, for people. */
  why?: string;
}

/** One member of a group, as it was seen before a plan. */
export interface Member<F = Record<string, unknown>> {
  server: string;
  /** Address at which other hosts of the infra reach it: the server's name. */
  address: string;
  /** Its data is to be on this machine. Absent before that is made. */
  machine?: string;
  /**
   * `expected`: it has no machine yet, or the service is not installed. `silent`: its host did not answer, so that nothing
   * is known of it. `seen`: it answered.
   */
  state: 'expected' | 'silent' | 'seen';
  /** Only of those that were seen. */
  standing?: Standing;
  /** Its answers. One that is `expected` may have some, if its machine is there: data of a service that was alone, for example. */
  found?: F;
}

/** All members of a group, this one included, in the order of the definition. */
export interface GroupContext<F = Record<string, unknown>> {
  name: string;
  members: readonly Member<F>[];
}

/**
 * A value that one member makes and others use, such as a token with which they join. It is made when a step refers to it
 * (`share`), or when a person asks for an output that names it. It is kept among the secrets, and is discarded at the end of
 * its lifetime.
 */
export interface Share<C, F = Record<string, unknown>> extends ShareTimes {
  /** Imperative, for previews: `Make a join token`. */
  title: string;
  /** Only the leader can make it. Absent: any member that serves; the leader if there is one. */
  on?: 'leader';
  /**
   * What the script prints. Absent: one line of 16 to 4096 printable ASCII characters. `text`: many lines, up to 64 KiB, of
   * which those with at least 16 characters are secret.
   */
  form?: 'text';
  /**
   * Script that makes another value and prints only that. It takes at most a minute. It runs as root on a member that serves, and may run
   * again. It must not pass the value as an argument.
   */
  make(config: C, at: Member<F>, group: GroupContext<F>): string;
}

/**
 * Members of a taskserv on several servers that form one service: they know each other, and some of them decide together.
 * Pure, as a taskserv is.
 */
export interface Group<C, G extends Facts = Facts> {
  /** Name of the group of a configuration. Undefined: this service is alone. */
  of(config: C): string | undefined;
  /**
   * Whether a member with this configuration decides together with others. Default: all do. One that does not is known to the
   * others by its `id`, and its standing has no `group`.
   */
  votes?(config: C): boolean;
  /** Facts that each member is asked before a plan of any of them. */
  facts(config: C): G;
  /** Reads the answers of a member. */
  standing(found: FoundFacts<G>): Standing;
  /**
   * How many members have to serve. `majority`: more than half of those that belong to the group. `one`: any. A change that
   * would leave fewer is refused.
   */
  quorum: 'majority' | 'one';
  /**
   * Whether the leader is changed before all others, for a change to this version. Default: it is changed last, before new
   * members only. Only taskservs of the platform have it.
   */
  leaderFirst?(leader: Member<FoundFacts<G>>, version: string): boolean;
  /**
   * Steps on another member that serves, before a member leaves. They can be repeated, and do nothing if it has left. They
   * may refer to shares, which a member that stays makes; the one that leaves only if it is the leader that a share needs.
   *
   * @param leaving the member that goes, as it was last seen
   */
  leave?(config: C, leaving: Member<FoundFacts<G>>, group: GroupContext<FoundFacts<G>>): Step[];
  /**
   * Steps on the leader with which another member gets the lead, when people ask for it. They look up the leader again, and
   * change nothing if the other member is not ready. They do nothing if it leads already. Absent: the lead cannot be given
   * away.
   *
   * @param to the wanted member, which serves; absent: any that is ready
   * @throws inputError `cannot-switch-over` if no such member is ready
   */
  handOver?(config: C, leader: Member<FoundFacts<G>>, group: GroupContext<FoundFacts<G>>, to?: Member<FoundFacts<G>>): Step[];
  /** Values that one member makes for steps of others, by name. */
  shares?: Readonly<Record<string, Share<C, FoundFacts<G>>>>;
}
