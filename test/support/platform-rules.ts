import { mustLeave } from '../../activities/service/belongs.js';
import { refuseHarm, type StandingMark } from '../../activities/service/quorum.js';
import type { GroupRules, RankInput } from '../../sdk/testing/index.js';
import { canSpareOne, rankMember } from '../../workflows/runbook/grouped-hosts.js';

/** What a decision tells of a member, as `describeStanding` does. */
const markOf = (standing: RankInput | undefined): StandingMark | undefined =>
  standing && {
    ...{ group: 'main', state: 'seen' as const },
    ...(standing.serves && { serves: true as const }),
    ...(standing.leads && { leads: true as const }),
    ...(standing.joined && { joined: true as const }),
    ...(standing.serves && standing.voters !== undefined && { voters: standing.voters }),
  };

/** The platform's own rules for groups, for histories. */
export const PLATFORM_RULES: GroupRules = {
  refuse: (seen, server, decided) => refuseHarm(seen, server, decided),
  rank: (standing, all) => rankMember(markOf(standing), canSpareOne(all.map(markOf))),
  leaves: mustLeave,
};
