import { readDeclared, type Variable } from '../interpolation/variables.js';
import { Findings } from '../source/findings.js';
import { type Problem, pathText } from '../source/problem.js';
import { problemsOf, readSource, reportNotAMap } from '../source/read-source.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';
import { readSizes, type Sizes } from './read-sizes.js';
import type { TemplateFile } from './template-files.js';

/** A template: a part of a definition whose variables are its parameters. */
export interface Template {
  source: Source;
  parameters: Map<string, Variable>;
  description: string;
  /** Empty if the template has no sizes. */
  sizes: Sizes;
  /** Descriptions of its outputs by name. An output without a description has an empty text. */
  outputs: ReadonlyMap<string, string>;
}

/** Keys that a template must not have, because the definition has them. */
const NOT_ITS: Readonly<Record<string, string>> = {
  infra: 'the definition that uses it says what the infra is called',
  use: 'a template uses no other',
  include: 'a template is one file',
  env: 'what a template needs of the environment is one of its parameters',
};

/** Reads a template, or says all that is wrong with it. @param within the folder that its file has to lie in, after its links */
export async function readTemplate({ file, within }: Pick<TemplateFile, 'file' | 'within'>): Promise<Template | Problem[]> {
  const source = await readSource(file, 'vars: { … } and a part of a definition', within);
  if ('message' in source) return [source];
  if (!isRecord(source.value)) return reportNotAMap(source, 'a template');
  const problems = problemsOf(source);
  for (const [key, why] of Object.entries(NOT_ITS)) {
    if (!Object.hasOwn(source.value, key)) continue;
    problems.push({ file, ...source.place([key], 'key'), path: pathText([key]), message: `a template has no "${key}": ${why}` });
  }
  if (problems.length > 0) return problems;
  const parameters = readDeclared(source);
  const findings = new Findings();
  const sizes = readSizes(source, parameters, findings);
  if (findings.all.length > 0) return problemsOf(source, findings);
  const { description } = source.value;
  return {
    source,
    parameters,
    description: typeof description === 'string' ? description : '',
    sizes,
    outputs: describeOutputs(source.value),
  };
}

function describeOutputs({ outputs }: Record<string, unknown>): ReadonlyMap<string, string> {
  const described = Object.entries(isRecord(outputs) ? outputs : {}).map(([name, output]) => {
    const about = isRecord(output) ? output.description : undefined;
    return [name, typeof about === 'string' ? about : ''] as const;
  });
  return new Map(described);
}
