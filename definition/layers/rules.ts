import type { MergedData, MergePath, MergeRules } from '../../core/merge/merge.js';
import { isOtherSecret } from '../references.js';
import { isRecord } from '../source/salvage.js';

const NAMED: readonly (readonly string[])[] = [
  ['servers'],
  ['networks'],
  ['taskservs'],
  ['servers', '*', 'taskservs'],
  ['servers', '*', 'volumes'],
];

const isAt = (path: MergePath, pattern: readonly string[]): boolean =>
  path.length === pattern.length && pattern.every((key, index) => key === '*' || key === path[index]);

/** Maps that stand for one value. */
const STANDS_FOR_ONE = ['secret', 'generate', 'raw', 'env', 'file', 'vault', 'aws-secret'];
const ONE_VALUE: readonly (readonly string[])[] = [
  ['taskservs', '*', 'on'],
  ['vars', '*', 'default'],
];

/** How a definition is laid over another. */
export const DEFINITION_RULES: MergeRules = {
  mergeKey: (path) => (NAMED.some((pattern) => isAt(path, pattern)) ? 'name' : undefined),
  whole: (path, value) =>
    ONE_VALUE.some((pattern) => isAt(path, pattern)) ||
    (isRecord(value) &&
      (isOtherSecret(value) ||
        typeof value.generate === 'string' ||
        (Object.keys(value).length === 1 && STANDS_FOR_ONE.some((key) => Object.hasOwn(value, key))))),
};

/** A layer whose plain values of variables are declarations with a default, so that they change no more than that of a lower layer. */
export function declareVariables({ value, trace }: MergedData): MergedData {
  if (!isRecord(value) || !isRecord(value.vars)) return { value, trace };
  const inside = new Map<string, MergedData['trace']>();
  const vars = Object.entries(value.vars).map(([name, said]) => {
    const at = { layer: trace.layer, path: ['vars', name] };
    if (isRecord(said) || said === null) return [name, said];
    inside.set(name, { ...at, inside: new Map([['default', at]]) });
    return [name, { default: said }];
  });
  const of = { layer: trace.layer, path: ['vars'], inside };
  return { value: { ...value, vars: Object.fromEntries(vars) }, trace: { ...trace, inside: new Map([['vars', of]]) } };
}
