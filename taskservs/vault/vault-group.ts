import { type Group, type GroupContext, inputError, type ListenAddress, type PlanContext, type Step } from '../../sdk/index.js';
import { type FoundMember, memberFact, type Peer, type VaultFacts } from './vault-ask.js';
import type { VaultConfig } from './vault-config.js';
import { ID } from './vault-places.js';
import {
  beginStep,
  handOverStep,
  joinStep,
  keepDataStep,
  leaveStep,
  type Place,
  readyStep,
  spareStep,
  tidyStep,
} from './vault-steps.js';

/** A member of a group, with its answers. */
export type VaultMember = GroupContext<{ member: FoundMember }>['members'][number];

const found = (member: VaultMember): FoundMember | undefined => member.found?.member;

/** It has data of a cluster: it decides together with others, or did so before. */
const hasData = (known: FoundMember | undefined): boolean => known?.id !== undefined && known.full;

function why({ id, full, state, serves, removed, peers }: FoundMember): string | undefined {
  if (serves || (id === undefined && state === 'silent')) return undefined;
  if (removed) return 'the others have removed it';
  if (state === 'silent') return 'vault does not answer on it';
  if (state === 'new') return 'it is not initialized: run "vault operator init" once, on one member';
  if (state === 'sealed')
    return full
      ? 'it is sealed: unseal it with "vault operator unseal"'
      : 'it joins once it is unsealed: unseal it with "vault operator unseal"';
  return peers && !peers.some((peer) => peer.id === id && peer.votes) ? 'it has no vote yet' : 'no majority agrees with it';
}

type RefusalCode = 'group-unknown' | 'groups-differ' | 'quorum-lost';

const refuse = (code: RefusalCode, { server, cluster }: Pick<Place, 'server' | 'cluster'>, why: string, hint: string) =>
  inputError({ code, what: `plan vault of the cluster ${cluster}`, on: server, why, hint });

const names = (members: readonly VaultMember[]): string => members.map(({ server }) => server).join(', ');

/** What the members that serve say. */
interface Serving {
  members: VaultMember[];
  peers: readonly Peer[] | undefined;
}

/** @throws inputError if they are of several clusters: two members were initialized */
function findServing(place: Place, members: readonly VaultMember[]): Serving {
  const serving = members.filter((member) => found(member)?.serves);
  const clusters = new Set(serving.map((member) => found(member)?.cluster));
  if (clusters.size > 1)
    throw refuse(
      'groups-differ',
      place,
      `${names(serving)} serve ${clusters.size} different clusters`,
      'keep the one that has your secrets: on the others stop vault, and move /opt/vault/data away',
    );
  return { members: serving, peers: serving.map((member) => found(member)?.peers).find(Boolean) };
}

/** What a member without data does before its first start. */
function enter(place: Place, members: readonly VaultMember[], { members: serving, peers }: Serving): Step {
  if (serving.length > 0) {
    if (place.config.token && peers) return joinStep(place);
    throw refuse(
      'group-unknown',
      place,
      place.config.token
        ? `the token may not read the list of members on ${names(serving)}`
        : `without "token" it is not known whether the cluster counts a former machine of ${place.server}`,
      'give a token that may read and change the list of members (taskservs/vault/README.md)',
    );
  }
  const silent = members.filter(({ state }) => state === 'silent');
  if (silent.length > 0)
    throw refuse(
      'group-unknown',
      place,
      `${names(silent)} may have the cluster, and does not answer`,
      `bring ${names(silent)} back: the only copy of the data may be there`,
    );
  const withData = members.filter((member) => hasData(found(member)));
  if (withData.length > 0)
    throw refuse(
      'quorum-lost',
      place,
      `no majority of the members serves: ${names(withData)} has data`,
      'start the members that have data, and unseal them with "vault operator unseal"',
    );
  return beginStep(place);
}

/** Steps before the start that depend on what the others say. */
function decide(place: Place, own: VaultMember, members: readonly VaultMember[], serving: Serving): Step[] {
  const known = found(own);
  if (known?.full && known.id === undefined)
    throw refuse(
      'groups-differ',
      place,
      'its data is that of a single server, whose address no other member reaches',
      'save it with "vault operator raft snapshot save", move /opt/vault/data away, apply, and restore it in the cluster',
    );
  if (known?.id === undefined) return [enter(place, members, serving)];
  const { peers } = serving;
  const isListed = peers === undefined || peers.some(({ id }) => id === known.id);
  if (!known.full || known.serves || isListed) return [];
  return [keepDataStep(place, known.id), enter(place, members, serving)];
}

/** What a member on loopback tells the others is their own loopback. */
function refuseLoopback(place: Place, listening: ListenAddress): void {
  if (place.others.length === 0 || listening !== 'loopback') return;
  throw refuse(
    'group-unknown',
    place,
    'no address is known at which the other members reach it',
    `set "privateAddress" for the host ${place.server}`,
  );
}

const leastOf = (members: readonly unknown[]): number => Math.max(3, members.length);

/**
 * Adds to the steps of a member those that depend on the others.
 *
 * @param steps with the start of vault
 * @param listening where it listens for members
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMember(
  config: VaultConfig & { cluster: string },
  context: PlanContext,
  { steps, listening }: { steps: Step[]; listening: ListenAddress },
): Step[] {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const server = context.host.name;
  const { cluster } = config;
  const own = members.find((member) => member.server === server);
  if (!own) throw refuse('group-unknown', { server, cluster }, 'it is not known who the members are', 'update the worker');
  const others = members.filter((member) => member !== own).map(({ address }) => address);
  const place: Place = { config, cluster, server, others };
  refuseLoopback(place, listening);
  const known = found(own);
  const serving = findServing(place, members);
  const before = decide(place, own, members, serving);
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  const stops = steps.some((step) => 'service' in step && step.service.change === 'restart');
  // Who leads and who is behind may change until then: the steps themselves look, where the present files say.
  const spare = stops && hasData(known) && others.length > 0 && config.token ? [spareStep(place), handOverStep(place)] : [];
  // A cluster that is not initialized has nothing to wait for.
  const isWaitedFor = known?.serves === true || serving.members.some((member) => member !== own);
  const waits = isWaitedFor && (index >= 0 || before.length > 0 || !known?.serves) ? [readyStep(place)] : [];
  const least = leastOf(members);
  const tidies = members[0] === own && config.token && known?.serves && known.peers && known.tidies !== least;
  return [
    ...spare,
    ...steps.slice(0, start),
    ...before,
    ...steps.slice(start),
    ...waits,
    ...(tidies ? [tidyStep(place, least)] : []),
  ];
}

/** The members of a cluster. */
export const vaultGroup: Group<VaultConfig, VaultFacts> = {
  of: ({ cluster }) => cluster,
  facts: () => ({ member: memberFact() }),
  standing: ({ member }) => {
    const because = why(member);
    const votes = member.peers?.filter((peer) => peer.votes).length ?? 0;
    const lists = member.peers?.flatMap((peer) => ID.exec(peer.id)?.[1] ?? []);
    return {
      // Its data does not name the cluster while it is sealed. Plans refuse several that serve.
      ...(hasData(member) && { group: 'vault' }),
      ...(hasData(member) && member.id !== undefined && { id: member.id }),
      serves: member.serves,
      ...(member.serves && votes > 0 && { voters: votes }),
      ...(member.serves && lists && { lists }),
      ...(member.leads && { leads: true }),
      ...(because && { why: because }),
    };
  },
  quorum: 'majority',
  handOver(config, { server }, { name, members }, to) {
    const cannot = (on: string, why: string, hint: string) =>
      inputError({ code: 'cannot-switch-over', what: `switch over the leader of the vault cluster ${name}`, on, why, hint });
    if (to) throw cannot(to.server, 'Vault itself chooses the next leader', 'omit --to');
    if (!config.token) throw cannot(server, 'there is no token that may do it', 'set "token" (taskservs/vault/README.md)');
    const others = members.filter((member) => member.server !== server).map(({ address }) => address);
    return [handOverStep({ config, cluster: name, server, others })];
  },
  // A new machine of the same name takes the former one out before it joins.
  leave: (config, leaving, { name, members }) =>
    members.some(({ server }) => server === leaving.server) ? [] : [leaveStep({ config, cluster: name }, leaving.server)],
};
