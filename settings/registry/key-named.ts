import { inputError } from '../../core/errors.js';
import { clipText } from '../../core/text.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { REGISTRY } from './keys.js';
import type { Key } from './registry.js';

/** Returns the setting of this name. @throws inputError `config-key` with the nearest name */
export function keyNamed(name: string): Key {
  const key = REGISTRY.keys.get(name);
  if (key) return key;
  const known = [...REGISTRY.keys.keys()];
  const same = known.find((one) => one.split('.').at(-1)?.toLowerCase() === name.split('.').at(-1)?.toLowerCase());
  throw inputError({
    code: 'config-key',
    what: 'find the setting',
    on: clipText(name, 80),
    why: 'no such setting exists',
    hint: same ? `did you mean "${same}"?` : (didYouMean(name, known) ?? 'provisioning config keys'),
  });
}
