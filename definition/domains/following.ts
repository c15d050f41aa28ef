import type { Assignment } from '../place-taskservs.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';

/**
 * Where a domain is at fault, it is not known whether there is TLS: that the endpoint of it is not there, which an entry
 * declares public, follows from that, and is told no more.
 */
export function withoutFollowing(entries: readonly Assignment[], findings: Findings): void {
  if (!findings.all.some(({ path }) => isOfDomain(path))) return;
  const places = entries.filter((entry) => entry.public !== undefined).map(({ path }) => [...path, 'public']);
  const follows = (path: Path) => places.some((place) => place.every((key, index) => path[index] === key));
  const others = findings.all.filter(({ path, message }) => !(message.endsWith('has no endpoint "https"') && follows(path)));
  findings.all.splice(0, findings.all.length, ...others);
}

/** `domains`, or the `domain` of an entry. */
const isOfDomain = (path: Path): boolean => path[0] === 'domains' || path[path[0] === 'servers' ? 4 : 2] === 'domain';
