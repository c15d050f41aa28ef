import type { ConfigProblem } from '../config-error.js';
import { type Key, type Registry, variablesOf } from '../registry/registry.js';
import { misfitText, valueOfText } from '../registry/value-types.js';
import type { Value } from './values.js';

const OURS = /^(PROVISIONING|TEMPORAL)_/;

/** Value of a key in the environment. */
export interface VariableValue {
  variable: string;
  value: Value;
}

/**
 * Returns the value of a key in the environment; undefined if no variable is set.
 *
 * @returns a problem for an invalid value, or if two variables have different values
 */
export function readVariable(key: Key, env: NodeJS.ProcessEnv): VariableValue | { problem: ConfigProblem } | undefined {
  let first: VariableValue | undefined;
  for (const variable of variablesOf(key)) {
    const text = env[variable];
    if (text === undefined || text === '') continue;
    const value = valueOfText(key.type, text);
    // Other programs validate the variables that they also read: an unknown AWS region must not stop everything.
    if (value === undefined && !OURS.test(variable)) continue;
    if (value === undefined) return { problem: problem(key, variable, misfitText(key.type)) };
    if (first && JSON.stringify(first.value) !== JSON.stringify(value))
      return { problem: problem(key, variable, `it has another value than ${first.variable}`, 'unset one of them') };
    first ??= { variable, value };
  }
  return first;
}

/** Returns a mark that identifies an environment's values of all keys. */
export function markOfEnvironment({ keys }: Registry, env: NodeJS.ProcessEnv): string {
  let mark = '';
  for (const key of keys.values())
    for (const variable of variablesOf(key)) if (env[variable]) mark += `${variable}=${env[variable]}\n`;
  return mark;
}

const problem = ({ name }: Key, variable: string, message: string, suggestion?: string): ConfigProblem => ({
  file: variable,
  line: 0,
  column: 0,
  path: name,
  message,
  suggestion,
});
