import { ProvisioningError } from '../core/errors.js';
import type { Problem } from '../definition/source/problem.js';

/** Problem in a layer. Its line is 0 if it is about the whole file, or about a variable. */
export interface ConfigProblem extends Problem {
  /** Separate error code; the default is `bad-settings`. */
  code?: 'config-scope';
}

/**
 * Returns a problem as text:
 * `config.yaml:4:3: engine.prot: there is no setting "engine.prot"; did you mean "engine.port"?`
 */
export const configProblemText = (problem: ConfigProblem): string => {
  const { file, line, column, path, message, suggestion } = problem;
  const parts = [line > 0 ? `${file}:${line}:${column}` : file, ...(path === '' ? [] : [path]), message];
  return `${parts.join(': ')}${suggestion ? `; ${suggestion}` : ''}`;
};

/** Error for an invalid configuration, with the list of problems if there are several. */
export class ConfigError extends ProvisioningError {
  /** The problems if there are several; a single problem is in the error's own text. */
  readonly listed?: ConfigProblem[];
  constructor(problems: readonly [ConfigProblem, ...ConfigProblem[]], what = 'read the settings') {
    const [first] = problems;
    const code = problems.every((one) => one.code === 'config-scope') ? 'config-scope' : 'bad-settings';
    const on = first.line > 0 ? `${first.file}:${first.line}` : first.file;
    if (problems.length === 1) super({ code, blame: 'user', what, on, why: first.message, hint: first.suggestion });
    else super({ code, blame: 'user', what, why: `${problems.length} problems`, hint: 'provisioning config validate' });
    if (problems.length > 1) this.listed = [...problems];
  }
}

/** @throws ConfigError if there are problems */
export function refuseProblems(problems: readonly ConfigProblem[], what?: string): void {
  const [first, ...rest] = problems;
  if (first) throw new ConfigError([first, ...rest], what);
}
