import { inputError } from '../../core/errors.js';
import { groupByKey } from '../../core/grouped.js';
import type { Route } from './route.js';

/** Match of a path: the routes of its verbs, and the parameters of each. */
export interface PathMatch {
  byVerb: ReadonlyMap<string, { route: Route; parameters: Record<string, string> }>;
}

/** Finds routes by the path of a request, as it was sent. */
export type RouteFinder = (path: string) => PathMatch;

/**
 * Creates the finder of routes. A path is split as it was sent, and each part is decoded once: an encoded slash stays
 * in its part. If two paths match, the path with more literal parts wins, as in an OpenAPI document.
 */
export function createRouteFinder(routes: readonly Route[]): RouteFinder {
  const shapes = groupByKey(routes, ({ path }) => path.replace(/\{\w+\}/g, '{}'));
  const byLength = groupByKey(
    [...shapes.values()].sort((a, b) => countLiterals(b) - countLiterals(a)),
    ([first]) => first?.segments.length,
  );
  return (path) => {
    const parts = path.split('/').slice(1).map(decodePart);
    const byVerb = new Map<string, { route: Route; parameters: Record<string, string> }>();
    for (const shape of byLength.get(parts.length) ?? []) {
      for (const route of shape) {
        const parameters = parametersIn(route, parts);
        if (parameters) byVerb.set(route.verb, { route, parameters });
      }
      if (byVerb.size > 0) break;
    }
    return { byVerb };
  };
}

const countLiterals = ([first]: readonly Route[]): number =>
  (first?.segments ?? []).filter((segment) => !segment.startsWith('{')).length;

function parametersIn({ segments }: Route, parts: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = Object.create(null);
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] as string;
    if (segment.startsWith('{')) parameters[segment.slice(1, -1)] = part;
    else if (segment !== part) return undefined;
  }
  return parameters;
}

/** @throws inputError `bad-request` */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw inputError({ code: 'bad-request', what: 'read the path', why: 'a part of it is not percent-encoded UTF-8' });
  }
}
