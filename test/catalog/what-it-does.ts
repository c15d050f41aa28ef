import type { AnyTaskserv } from '../../sdk/index.js';
import { planOf, stepsOf } from '../../sdk/testing/case.js';
import { readCases } from '../../sdk/testing/case-files.js';

/**
 * Returns everything that a taskserv queries and does on hosts, for each case in its folder: facts, steps and health
 * checks. Its kind contributes to all of these. A change of a kind without effect on them keeps proofs valid.
 */
export const whatItDoes = (taskserv: AnyTaskserv, folder: string): unknown[] =>
  readCases(folder).map(([file, given]) => {
    const { config, context } = planOf(taskserv, given);
    return [file, taskserv.facts(config, context.version), stepsOf(taskserv, given), taskserv.health(config, context)];
  });
