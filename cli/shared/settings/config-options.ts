import { inputError } from '../../../core/errors.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { FILE_LAYERS } from '../../../settings/layers/layers.js';
import type { Value } from '../../../settings/layers/values.js';
import type { Key } from '../../../settings/registry/registry.js';
import { misfitText, valueOfText } from '../../../settings/registry/value-types.js';
import type { OptionSpec } from '../../command.js';

export const INFRA_SETTINGS_OPTION = {
  flags: '--infra <name>',
  about: 'include the settings of this infra in the workspace folder',
} as const satisfies OptionSpec;

export const LAYER = {
  flags: '--layer <name>',
  about: 'layer of the file (default: user)',
  choices: FILE_LAYERS,
} as const satisfies OptionSpec;

/**
 * Parses a value for a key.
 *
 * @throws inputError `config-value`; a value is never quoted
 */
export function valueFor(key: Key, text: string): Value {
  const value = valueOfText(key.type, text);
  if (value !== undefined && text !== '') return value;
  const hint = key.type.kind === 'choice' ? didYouMean(text, key.type.choices) : undefined;
  throw inputError({ code: 'config-value', what: 'set', on: key.name, why: misfitText(key.type), hint });
}
