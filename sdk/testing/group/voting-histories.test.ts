import { describe, expect, test } from 'vitest';
import { PLATFORM_RULES as rules } from '../../../test/support/platform-rules.js';
import { VOTING_SERVICES } from '../../../test/support/voting/index.js';
import { createVotingModel, omitOwnQuorum } from '../../../test/support/voting-model.js';
import { type Omission, playHistories } from '../index.js';

/** Histories that are played of each service. */
const RUNS = Number(process.env.MODEL_RUNS ?? (process.env.LONG ? 10_000 : 1_000));
/** Milliseconds. No limit of speed: many histories on a busy machine take as long. */
const PLAYED_WITHIN = 300_000 + RUNS * 100;

test.each(VOTING_SERVICES)(
  `in ${RUNS} histories of joins, losses and leader changes, $taskserv.name loses no write and is whole in the end`,
  { timeout: PLAYED_WITHIN },
  (service) => {
    expect(playHistories({ ...createVotingModel(service), rules }, RUNS)).toBeUndefined();
  },
);

const OMISSIONS: readonly [Omission, RegExp][] = [
  ['quorum', /takes away the last majority/],
  ['second-look', /takes away the last majority|ends the leader|moved the lead|an undisturbed apply failed/],
  ['order', /moved the lead|an undisturbed apply failed/],
];

describe.each(VOTING_SERVICES)('$taskserv.name', (service) => {
  test.each(OMISSIONS)('breaks a promise in a history without the rule "%s"', { timeout: 120_000 }, (omitted, why) => {
    const played = createVotingModel(omitted === 'quorum' ? omitOwnQuorum(service) : service);
    expect(playHistories({ ...played, rules, omitted }, 1_000)?.why).toMatch(why);
  });
});
