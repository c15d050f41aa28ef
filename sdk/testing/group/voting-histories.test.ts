import { expect, test } from 'vitest';
import { mustLeave } from '../../../activities/service/belongs.js';
import { refuseHarm, type StandingMark } from '../../../activities/service/quorum.js';
import { VOTING_SERVICES } from '../../../test/support/voting/index.js';
import { createVotingModel, omitOwnQuorum } from '../../../test/support/voting-model.js';
import { canSpareOne, rankMember } from '../../../workflows/runbook/grouped-hosts.js';
import { type GroupRules, playHistories, type RankInput } from '../index.js';

/** Histories that are played of each service. */
const RUNS = Number(process.env.MODEL_RUNS ?? (process.env.LONG ? 10_000 : 1_000));

const standingOf = (standing: RankInput | undefined): StandingMark | undefined =>
  standing && {
    ...{ group: 'main', state: 'seen' as const },
    ...(standing.serves && { serves: true as const }),
    ...(standing.leads && { leads: true as const }),
    ...(standing.joined && { joined: true as const }),
  };

/** The platform's own. */
const rules: GroupRules = {
  refuse: (seen, server, decided) => refuseHarm(seen, server, decided),
  rank: (standing, all) => rankMember(standingOf(standing), canSpareOne(all.map(standingOf))),
  leaves: mustLeave,
};

test.each(VOTING_SERVICES)(
  `in ${RUNS} histories of joins, losses and leader changes, $taskserv.name loses no write and is whole in the end`,
  { timeout: 300_000 },
  (service) => {
    expect(playHistories({ ...createVotingModel(service), rules }, RUNS)).toBeUndefined();
  },
);

test.each(VOTING_SERVICES)(
  'without the rule of the quorum a history of $taskserv.name breaks a promise',
  { timeout: 120_000 },
  (service) => {
    const broken = playHistories({ ...createVotingModel(omitOwnQuorum(service)), rules, omitted: 'quorum' }, RUNS);
    expect(broken?.why).toMatch(/takes away the last majority/);
  },
);
