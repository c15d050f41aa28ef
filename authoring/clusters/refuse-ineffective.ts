import { isDeepStrictEqual } from 'node:util';
import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import { type Path, pathText } from '../../definition/source/problem.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { Source } from '../../definition/source/source.js';

/** A value that a command writes into a definition file. */
export interface WantedValue {
  path: Path;
  value: unknown;
  /** Group of servers whose number the value is. */
  group?: string;
  /** Whether the file had another value before. */
  isNew: boolean;
}

/** A definition with its source, as it is read after the change. */
interface Changed {
  definition: Definition;
  source: Source;
}

/**
 * Refuses a change of a definition file that another file or the command line makes ineffective: an overlay of the
 * environment, its values of variables, or `--var`.
 *
 * @param file the edited file
 * @param before the definition as the file was read before; undefined if it is not known
 * @throws inputError `value-not-written`
 */
export function refuseIneffective(
  { definition, source }: Changed,
  file: string,
  wanted: readonly WantedValue[],
  environment: string | undefined,
  before?: Definition,
): void {
  for (const one of wanted) {
    const path = pathIn(source.value, one);
    const place = source.place(path, 'value');
    const isOther = place.file !== undefined && place.file !== file;
    const count = one.group === undefined ? one.value : countServers(definition, one.group);
    const isElsewhere = one.group !== undefined && one.isNew && before && countServers(before, one.group) === one.value;
    const isThere = one.group === undefined ? isDeepStrictEqual(valueAt(source.value, path), one.value) : count === one.value;
    if (!isOther && isThere && !isElsewhere) continue;
    throw inputError({
      code: 'value-not-written',
      what: `write "${pathText(one.path)}"`,
      on: file,
      why: isOther
        ? `${place.file}:${place.line}:${place.column} sets it as well, and has precedence`
        : isThere
          ? 'another file or an option of this command determines the value already'
          : one.group === undefined
            ? 'another file or an option of this command determines the value'
            : `the group "${one.group}" would have ${count} servers, not ${one.value}: another file or an option of this command determines the number`,
      hint: `change the value there, then run: provisioning apply ${file}${environment === undefined ? '' : ` --env ${environment}`}`,
    });
  }
}

const countServers = ({ servers }: Definition, name: string): number => servers.filter(({ group }) => group === name).length;

/** Returns the path of a value in the merged source. Merged lists have other positions, and variables their long form. */
function pathIn(whole: unknown, { path, group }: WantedValue): Path {
  const [first, , ...rest] = path;
  if (!isRecord(whole)) return path;
  if (first === 'servers' && group !== undefined && Array.isArray(whole.servers)) {
    const index = whole.servers.findIndex((server) => isRecord(server) && server.name === group);
    return index === -1 ? path : [first, index, ...rest];
  }
  const isShort = first === 'vars' && rest.length === 0 && isRecord(valueAt(whole, path));
  return isShort ? [...path, 'default'] : path;
}

/** Returns the value at a path. Undefined if it does not exist. */
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inside, key) => (isRecord(inside) || Array.isArray(inside) ? (inside as Record<string | number, unknown>)[key] : undefined),
    value,
  );
