import { type Group, inputError, type Member, type Standing } from '../../sdk/index.js';
import { type FoundMember, isUpgrade, type ListedMember, memberFact } from './member.js';
import type { PatroniConfig } from './patroni-config.js';
import { act } from './program.js';

/** What a member's own Patroni says of it. */
export function judgeMember({ answers, name, system, state, primary, members, data }: FoundMember): Standing {
  if (!answers) return { serves: false, ...(data.length > 0 && { why: 'Patroni does not answer' }) };
  const leader = members.find(({ leads }) => leads);
  // A primary that lost its lead in etcd is about to stop.
  const leads = primary === true && leader !== undefined && leader.name === name;
  const why =
    state !== 'running'
      ? `PostgreSQL is ${state ?? 'in no known state'}`
      : leader === undefined
        ? 'the cluster has no leader: a majority of etcd must answer, and one member with all acknowledged writes must run'
        : undefined;
  return {
    ...(system && { group: system }),
    ...(name && { id: name }),
    serves: why === undefined,
    ...(leads && { leads: true as const }),
    ...(why && { why }),
  };
}

type GroupFacts = { member: ReturnType<typeof memberFact> };

/**
 * Members of one cluster. Patroni's members have no votes: etcd has them. A cluster serves with one member, and takes writes
 * with two if `synchronous` is strict. So the steps themselves wait for a second member, and the quorum is one.
 *
 * @param version of PostgreSQL, for the comparison with the running one, which the group does not need
 */
export const createGroup = (version: string): Group<PatroniConfig, GroupFacts> => ({
  of: ({ cluster }) => cluster,
  facts: () => ({ member: memberFact(version) }),
  standing: ({ member }) => judgeMember(member),
  quorum: 'one',
  // All others copy what the leader has made of its data.
  leaderFirst: ({ found }, wanted) => isUpgrade(found?.member, wanted),
  handOver: ({ cluster, healthyLag }, leader, _, to) => {
    refuseUnready({ cluster, healthyLag }, leader, to?.server);
    const run = act('switch-over', leader.server, healthyLag, ...(to ? [to.server] : []));
    return [
      {
        title: `Let ${to?.server ?? 'another member'} lead the cluster ${cluster} instead of ${leader.server}`,
        ...{ run, undo: ':', keepsServing: true },
      },
    ];
  },
  leave: (_, { server }) => [{ title: `Let another member lead than ${server}`, run: act('hand-over', server), undo: ':' }],
});

/**
 * Refuses a switch-over to a member that Patroni would not let lead. The step looks again.
 *
 * @throws inputError `cannot-switch-over`
 */
function refuseUnready(
  { cluster, healthyLag }: Pick<PatroniConfig, 'cluster' | 'healthyLag'>,
  { server, found }: Member<{ member: FoundMember }>,
  to: string | undefined,
): void {
  const { members = [], settings } = found?.member ?? {};
  const isSynchronous = (settings as { synchronous_mode?: unknown } | undefined)?.synchronous_mode === true;
  const faultOf = ({ name, state, synchronous, lag }: ListedMember): string | undefined => {
    if (state !== 'running' && state !== 'streaming') return `PostgreSQL of ${name} is ${state}`;
    if (isSynchronous)
      return synchronous
        ? undefined
        : `${name} does not confirm commits: it could lack acknowledged writes, and only the synchronous member may lead`;
    if (lag === undefined) return `it is not known how much WAL ${name} lacks`;
    return lag > healthyLag ? `${name} lacks ${lag} bytes of WAL, more than \`healthyLag\` allows` : undefined;
  };
  const others = members.filter(({ name }) => name !== server && (to === undefined || name === to));
  const faults = others.map(faultOf);
  if (faults.includes(undefined)) return;
  const ready = members.filter((one) => one.name !== server && faultOf(one) === undefined).map(({ name }) => name);
  throw inputError({
    code: 'cannot-switch-over',
    what: `switch over the leader of the cluster ${cluster}`,
    on: to ?? cluster,
    why: others.length === 0 ? 'Patroni does not list such a member' : faults.join('; '),
    hint: ready.length > 0 ? `ready: ${ready.join(', ')}` : 'wait until a member is ready: provisioning cluster status',
  });
}
