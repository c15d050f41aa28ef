/**
 * Tests of taskservs, as `provisioning/sdk/testing`: a folder with `cases/*.json` and a README is checked
 * without a host and within any framework.
 *
 * @example
 * if (process.env.UPDATE_CASES === '1') updateCases(beanstalkd, import.meta.dirname);
 * test('beanstalkd', () => assert.deepEqual(faultsIn(beanstalkd, import.meta.dirname), []));
 */
export { type Case, planOf, stepsOf, type WrittenStep } from './case.js';
export { updateCases } from './case-files.js';
export { type Check, faultsIn, runChecks } from './checks.js';
export type { Difference } from './differences.js';
export type { CaseGroup } from './group/case-group.js';
export type { Draw } from './group/draw.js';
export { type BrokenHistory, type HistoryInput, playHistories, playHistory } from './group/histories.js';
export { ModelShares } from './group/model-shares.js';
export type { GroupModel, GroupRules, Omission, RankInput, SeenGroup } from './group/platform.js';
export { QuorumWorld, StepFailure } from './group/world.js';
export type { Line } from './lines.js';
