import type { Group, Standing } from '../../sdk/index.js';
import { type FoundMember, memberFact } from './member.js';
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
  leave: (_, { server }) => [{ title: `Let another member lead than ${server}`, run: act('hand-over', server), undo: ':' }],
});
