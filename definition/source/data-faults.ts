import { findExcess } from '../../core/definition/weight.js';
import { LIMITS } from '../../core/limits.js';
import { RESERVED_NAMES } from '../../core/merge/merge.js';
import { findHiddenCharacter } from '../../core/text.js';
import { describeHiddenCharacter } from './hidden.js';
import type { Path } from './problem.js';

interface DataFault {
  path: Path;
  at: 'key' | 'value';
  message: string;
}

/**
 * Finds faults of data that does not come from YAML or JSON: names that reach into the language, characters that hide
 * a text, too many parts, or too much nesting. The recursion is limited to the allowed depth.
 */
export function dataFaults(data: unknown): DataFault[] {
  const faults: DataFault[] = [];
  let parts = 0;
  const say = (path: Path, at: 'key' | 'value', message: string) => {
    if (faults.length < LIMITS.problems) faults.push({ path, at, message });
  };
  const visit = (value: unknown, path: Path): void => {
    if (++parts > LIMITS.fileParts) {
      if (parts === LIMITS.fileParts + 1) say([], 'value', `it has more than ${LIMITS.fileParts} names and values`);
      return;
    }
    if (path.length > LIMITS.fileDepth) {
      say(path, 'value', `lists and maps are nested more than ${LIMITS.fileDepth} levels deep`);
      return;
    }
    const hidden = typeof value === 'string' ? findHiddenCharacter(value) : undefined;
    if (hidden) say(path, 'value', describeHiddenCharacter(hidden));
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index]);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inside] of Object.entries(value)) {
        const no = RESERVED_NAMES.has(key) ? `no key may be called "${key}"` : undefined;
        const hiddenKey = findHiddenCharacter(key);
        if (no || hiddenKey) say([...path, key], 'key', no ?? describeHiddenCharacter(hiddenKey as string));
        else visit(inside, [...path, key]);
      }
    }
  };
  visit(data, []);
  const excess = faults.length > 0 ? undefined : findExcess(data, LIMITS.fileResolved, LIMITS.fileResolved);
  return excess ? [{ path: [], at: 'value', message: excess }] : faults;
}
