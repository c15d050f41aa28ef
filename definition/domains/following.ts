import type { Assignment } from '../place-taskservs.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { SERVE } from './fronts.js';

/**
 * Where a domain is at fault, it is not known whether who would serve it does so by TLS: what entries declare public of that
 * is judged once the domain is right.
 */
export function withPublicWhereKnown(entries: readonly Assignment[], findings: Findings): readonly Assignment[] {
  if (!findings.all.some(({ path }) => isOfDomain(path))) return entries;
  return entries.map((entry) => (SERVE.has(entry.taskserv.name) ? { ...entry, public: undefined } : entry));
}

/** `domains`, the `domain` of an entry, or its `tls: true`. */
function isOfDomain(path: Path): boolean {
  const [key, inner] = path.slice(path[0] === 'servers' ? 4 : 2);
  return path[0] === 'domains' || key === 'domain' || (key === 'config' && inner === 'tls');
}
