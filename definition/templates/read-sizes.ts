import * as z from 'zod';
import { reuse, variableName } from '../../core/schema/reuse.js';
import { word } from '../../core/schema/text-fields.js';
import { faultOf, type GivenValue, type Variable } from '../interpolation/variables.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import { isRecord } from '../source/salvage.js';
import { complaints } from '../source/schema-issues.js';
import type { Source } from '../source/source.js';

/** The parameter that chooses a size. Every template with sizes has it. */
export const SIZE = 'size';

/** Values of parameters by name, for each size by name, in the order of the file. */
export type Sizes = ReadonlyMap<string, ReadonlyMap<string, GivenValue>>;

/** Keys that only a template has. Its other keys are those of a definition. */
const templateKeys = z.looseObject({
  description: z.string().max(500).optional(),
  vars: reuse.vars,
  sizes: z.record(word(40), z.record(variableName, z.unknown()), 'write sizes by name: { small: { PARAMETER: VALUE } }').optional(),
});

/**
 * Reads the sizes of a template: sets of values of its parameters. Each problem is added to `findings`.
 *
 * @param parameters the parameters that the template declares
 */
export function readSizes(source: Source, parameters: ReadonlyMap<string, Variable>, findings: Findings): Sizes {
  findings.all.push(...complaints(templateKeys, source.value));
  const declared = isRecord(source.value) && isRecord(source.value.sizes) ? source.value.sizes : {};
  const sizes = new Map<string, Map<string, GivenValue>>();
  for (const [size, values] of Object.entries(declared)) {
    const given = new Map<string, GivenValue>();
    sizes.set(size, given);
    for (const [name, value] of isRecord(values) ? Object.entries(values) : []) {
      const path = ['sizes', size, name];
      const parameter = parameters.get(name);
      const fault = parameter && !parameter.sensitive ? faultOf(parameter, value) : undefined;
      if (!parameter) findings.key(path, `the template has no parameter "${name}"`, didYouMean(name, parameters.keys()));
      else if (parameter.sensitive) findings.key(path, `the parameter "${name}" is a secret: a size has no secrets`);
      else if (fault) findings.value(path, fault.message, fault.suggestion);
      else given.set(name, { value, source, path, literal: true });
    }
  }
  if (sizes.size > 0 && parameters.has(SIZE))
    findings.key(['vars', SIZE], 'a template with sizes has no parameter "size" of its own: it chooses one of the sizes');
  return sizes;
}
