import { ProvisioningError } from '../core/errors.js';
import type { Problem } from '../definition/source/problem.js';

/** Something wrong with a layer. Its line is 0 where it is about the file as a whole, or about a variable. */
export interface ConfigProblem extends Problem {
  /** Of an error of its own; the others are `bad-settings`. */
  code?: 'config-scope';
}

/** `config.yaml:4:3: engine.prot: there is no setting "engine.prot"; did you mean "engine.port"?` */
export const configProblemText = (problem: ConfigProblem): string => {
  const { file, line, column, path, message, suggestion } = problem;
  const parts = [line > 0 ? `${file}:${line}:${column}` : file, ...(path === '' ? [] : [path]), message];
  return `${parts.join(': ')}${suggestion ? `; ${suggestion}` : ''}`;
};

/** A configuration with problems, all of which are listed where there are several. */
export class ConfigError extends ProvisioningError {
  /** Where there are several; of a single one the error's own text has all. */
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

/** @throws ConfigError where there are problems */
export function refuseProblems(problems: readonly ConfigProblem[], what?: string): void {
  const [first, ...rest] = problems;
  if (first) throw new ConfigError([first, ...rest], what);
}
