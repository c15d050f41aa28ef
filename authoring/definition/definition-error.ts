import { ProvisioningError } from '../../core/errors.js';
import type { Problem } from '../../definition/source/problem.js';

/** Definition file with problems, which are all listed. */
export class DefinitionError extends ProvisioningError {
  readonly problems: Problem[];
  constructor(file: string, problems: Problem[], what = 'definition') {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super({
      code: problems.find(({ code }) => code)?.code ?? 'bad-definition',
      blame: 'user',
      what: `read the ${what}`,
      on: file,
      why: count,
    });
    this.problems = problems;
  }
}
