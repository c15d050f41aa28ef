import coerce from 'semver/functions/coerce.js';
import satisfies from 'semver/functions/satisfies.js';
import intersects from 'semver/ranges/intersects.js';
import subset from 'semver/ranges/subset.js';
import validRange from 'semver/ranges/valid.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { numbersOf } from '../../core/versions/version-change.js';

/** Version for an entry, or the reason for its absence. */
export type ResolvedVersion =
  | { version: string /** It was chosen by a constraint, from those that fit. */; chosen?: true }
  | {
      version?: undefined;
      chosen?: undefined;
      message: string;
      /** Explanation in `message`. */
      why?: string;
      suggestion: string;
    };

/**
 * Resolves the version of a taskserv: the named one, or the newest one that a constraint allows. Constraints are those
 * of npm (https://github.com/npm/node-semver#ranges). A comma counts as a space.
 *
 * A supported version of one or two numbers is a series, such as 15 for all of 15.x: the host's archive decides which
 * of them it gets. A series fits if each version of it does: 7.0 fits `~7.0` and `>=7`, but not `>=7.0.4`.
 */
export function resolveVersion(asked: string, { name, versions }: Pick<AnyTaskserv, 'name' | 'versions'>): ResolvedVersion {
  const { supported, withdrawn = {} } = versions;
  const usable = supported.filter((version) => !Object.hasOwn(withdrawn, version));
  const suggestion = `supported: ${usable.join(', ')}`;
  if (Object.hasOwn(withdrawn, asked))
    return { message: `version "${asked}" of "${name}" is withdrawn: ${withdrawn[asked]}`, suggestion };
  if (usable.includes(asked)) return { version: asked };
  const range = rangeOf(asked);
  const version = range === undefined ? undefined : usable.find((one) => fits(one, range));
  if (version !== undefined) return { version, chosen: true };
  const none = { message: `"${name}" has no version "${asked}"`, suggestion };
  if (range === undefined) return none;
  const gone = Object.keys(withdrawn).find((one) => fits(one, range));
  if (gone !== undefined) return because(`${gone} is withdrawn: ${withdrawn[gone]}`);
  const part = usable.find((one) => isSeries(one) && intersects(seriesOf(one), range));
  if (part === undefined) return none;
  return { ...because(`which version of ${part} a host gets, its archive says`), suggestion: `write "${part}"; ${suggestion}` };

  function because(why: string) {
    return { message: `${none.message}: ${why}`, why, suggestion };
  }
}

/** Whether a supported version is what a constraint asks for. @param range as `rangeOf` gives it */
export function fits(version: string, range: string): boolean {
  if (isSeries(version)) return subset(seriesOf(version), range);
  const whole = coerce(version);
  return whole !== null && satisfies(whole, range);
}

/**
 * Converts a constraint to the form of semver. Undefined for other texts. Some versions have leading zeros: `24.04`.
 */
export function rangeOf(asked: string): string | undefined {
  const plain = asked
    .replaceAll(',', ' ')
    .replace(/(?<![\w.])v?0+(?=\d)|(?<=\.)0+(?=\d)/g, '')
    .trim();
  return plain === '' ? undefined : (validRange(plain) ?? undefined);
}

const isSeries = (version: string): boolean => numbersOf(version).length < 3;

const seriesOf = (version: string): string => numbersOf(version).join('.');
