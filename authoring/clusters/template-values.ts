import { faultOf, takeAnswer, type Variable } from '../../definition/interpolation/variables.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { type Path, type Problem, pathText } from '../../definition/source/problem.js';
import { SIZE } from '../../definition/templates/read-sizes.js';
import { readTemplate, type Template } from '../../definition/templates/read-template.js';
import type { TemplateFile } from '../../definition/templates/template-files.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';

/** Values for parameters of a template, by name. */
export type TemplateValues = Record<string, unknown>;

/**
 * Reads a template that a command names.
 *
 * @throws DefinitionError with every problem of the template
 */
export async function loadTemplate(found: TemplateFile): Promise<Template> {
  const template = await readTemplate(found);
  if (Array.isArray(template)) throw new DefinitionError(found.file, template, 'template');
  return template;
}

/** Returns the parameters of a template by name. A template with sizes has the parameter `size` as well. */
export function collectParameters({ parameters, sizes }: Pick<Template, 'parameters' | 'sizes'>): Map<string, Variable> {
  if (sizes.size === 0) return new Map(parameters);
  const size: Variable = { name: SIZE, type: 'string', sensitive: false, choices: [...sizes.keys()], path: ['sizes'] };
  return new Map([[SIZE, size], ...parameters]);
}

/** Returns whether a text in a value, or the name of a key, has an expression. */
export const hasExpression = (value: unknown): boolean => JSON.stringify(value ?? null).includes('{{');

/**
 * Reads `NAME=VALUE` of a command line as values of a template's parameters, each with the type of its parameter.
 *
 * @param option option with the text, for the problems
 * @returns the values, and one problem for each wrong text; none repeats a value
 */
export function readTemplateValues(
  template: Template,
  texts: readonly string[],
  option = '--set',
): { values: TemplateValues; problems: Problem[] } {
  const parameters = collectParameters(template);
  const values: TemplateValues = {};
  const problems: Problem[] = [];
  for (const text of texts) {
    const [, name, value = ''] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
    const parameter = name === undefined ? undefined : parameters.get(name);
    const say = (path: Path, message: string, suggestion?: string) =>
      problems.push(problemIn(template, path, `${option}: ${message}`, suggestion));
    if (name === undefined) say(['vars'], 'write NAME=VALUE', `${option} ${[...parameters.keys()][0] ?? 'count'}=VALUE`);
    else if (!parameter) say(['vars'], `the template has no parameter "${name.slice(0, 80)}"`, didYouMean(name, parameters.keys()));
    else if (parameter.sensitive) say(parameter.path, `the parameter "${name}" is a secret`, `provisioning secret set ${name}`);
    else {
      const taken: Variable = { ...parameter };
      const wrong = takeAnswer(value, taken, template.source);
      // The value as it was read: JSON may have braces as escapes.
      const isExpression = value.includes('{{') || hasExpression(taken.value?.value);
      const fault = isExpression
        ? { message: `the value of "${name}" is an expression`, suggestion: 'write it into the definition file' }
        : (wrong ?? faultOf(taken, taken.value?.value));
      if (fault) say(parameter.path, fault.message, fault.suggestion);
      else values[name] = taken.value?.value;
    }
  }
  return { values, problems };
}

/**
 * Adds the values of parameters that a definition must have. At a terminal the user is asked for each.
 *
 * @returns one problem for each parameter that is still without a value
 */
export async function addRequiredValues(context: Context, template: Template, values: TemplateValues): Promise<Problem[]> {
  const sized = template.sizes.get(String(values[SIZE]));
  const problems: Problem[] = [];
  for (const { name, value, sensitive, description, path, choices } of template.parameters.values()) {
    if (value || sensitive || sized?.has(name) || Object.hasOwn(values, name)) continue;
    const about = `${description ?? 'Value of the parameter'} (${name}${choices ? `: ${choices.join(', ')}` : ''})`;
    const answer = await context.ask?.(about);
    if (answer === undefined) {
      const message = `the template needs the parameter "${name}"${description ? `: ${description}` : ''}`;
      problems.push(problemIn(template, path, message, `--set ${name}=VALUE`));
      continue;
    }
    const read = readTemplateValues(template, [`${name}=${answer}`]);
    Object.assign(values, read.values);
    problems.push(...read.problems);
  }
  return problems;
}

function problemIn({ source }: Template, path: Path, message: string, suggestion?: string): Problem {
  return {
    file: source.file,
    ...source.place(path, 'key'),
    path: pathText(path),
    message,
    ...(suggestion ? { suggestion } : {}),
  };
}
