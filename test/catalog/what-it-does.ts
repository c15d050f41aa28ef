import type { AnyTaskserv } from '../../sdk/index.js';
import { planOf, stepsOf } from '../../sdk/testing/case.js';
import { readCases } from '../../sdk/testing/case-files.js';

/**
 * All that a taskserv asks of hosts and does there, case by case of its folder: the facts, the steps and the checks of
 * health. Its kind has a part in all of these: a change of a kind that changes none of them leaves proofs as they are.
 */
export const whatItDoes = (taskserv: AnyTaskserv, folder: string): unknown[] =>
  readCases(folder).map(([file, given]) => {
    const { config, context } = planOf(taskserv, given);
    return [file, taskserv.facts(config, context.version), stepsOf(taskserv, given), taskserv.health(config, context)];
  });
