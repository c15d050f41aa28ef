import { DefinitionError } from '../../authoring/definition/definition-error.js';
import { type ErrorDetails, errorText, messageOf, ProvisioningError } from '../../core/errors.js';
import { exitCodeOfCommand, NOT_FOLLOWED } from '../../core/exit-codes.js';
import type { Failure } from '../../core/operation/operation.js';
import { systemError } from '../../core/system-errors.js';
import { type Problem, problemText } from '../../definition/source/problem.js';
import { homeOf } from '../../home/home.js';
import { ConfigError, configProblemText } from '../../settings/config-error.js';
import { paintFor, type Screen } from './screen.js';

export function detailsOf(error: unknown): ErrorDetails {
  if (error instanceof ProvisioningError) return error.details;
  const system = systemError(error, homeOf().root);
  if (system) return system;
  return { code: 'unexpected', blame: 'bug', what: 'run the command', why: messageOf(error), hint: 'add --verbose to see where' };
}

/** JSON document of a failed command. */
interface FailureDocument {
  /** `running`: the started work continues and cannot be followed. */
  status: 'failed' | 'running';
  /** Operation or batch that continues. */
  operation?: string;
  error: Omit<Failure, 'exitCode'> & { exitCode: number; problems?: Problem[] };
}

/** Returns the JSON document of a command that failed before an operation started, or that can no longer follow it. */
export function failureDocument(error: unknown): FailureDocument {
  const details = detailsOf(error);
  const { what, on, why, hint, code } = details;
  const problems = error instanceof DefinitionError ? error.problems : error instanceof ConfigError ? error.listed : undefined;
  const failure = { step: what, on: on ?? '', why, ...(hint ? { hint } : {}), code, exitCode: exitCodeOfCommand(details) };
  if (code === NOT_FOLLOWED) return { status: 'running', ...(on !== undefined && { operation: on }), error: failure };
  return { status: 'failed', error: problems ? { ...failure, problems } : failure };
}

/** Prints an error. */
export function renderError(error: unknown, screen: Screen, verbose: boolean): void {
  const paint = paintFor(screen);
  if (error instanceof DefinitionError) {
    for (const problem of error.problems) screen.write(`${problemText(problem)}\n`);
  }
  if (error instanceof ConfigError) {
    for (const problem of error.listed ?? []) screen.write(`${configProblemText(problem)}\n`);
  }
  const details = detailsOf(error);
  screen.write(`${paint('red', 'error:')} ${errorText(details)}\n`);
  if (details.hint) screen.write(`${paint('dim', 'hint:')} ${details.hint}\n`);
  if (verbose && error instanceof Error && error.stack) screen.write(`${error.stack}\n`);
}
