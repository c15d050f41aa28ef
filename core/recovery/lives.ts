import { type Feed, hasEnded, type KnownInfra, replayFeed } from '../infra/feed.js';
import { isEmpty } from '../infra/inventory.js';
import type { Scope } from '../machine/call-context.js';

/** An infra, whichever of its lives. */
export type Place = Omit<Scope, 'uuid'>;

/** A life of an infra that its feed has. */
export interface Life {
  uuid: string;
  /** When its last change was accepted, ISO time. */
  at: string;
  /** The number of that change. */
  last: number;
  known: KnownInfra;
}

/** The lives that ended in a deletion: none of them is brought back. */
export const collectEnded = (feeds: readonly Feed[]): ReadonlySet<string> =>
  new Set(feeds.filter(hasEnded).map(({ uuid }) => uuid));

/** Number of resources with the labels of an infra, by life. */
function borneBy({ workspace, infra }: Place, things: readonly { scope: Scope }[]): ReadonlyMap<string, number> {
  const borne = new Map<string, number>();
  for (const { scope } of things)
    if (scope.workspace === workspace && scope.infra === infra) borne.set(scope.uuid, (borne.get(scope.uuid) ?? 0) + 1);
  return borne;
}

/**
 * Lists the lives of feeds that can be recovered. The life with the most labelled resources comes first, otherwise the
 * latest.
 */
export function collectLives(place: Place, feeds: readonly Feed[], things: readonly { scope: Scope }[]): Life[] {
  const borne = borneBy(place, things);
  return feeds
    .filter((feed) => !hasEnded(feed))
    .map((feed): Life => {
      const { at = '', sequence = 0 } = feed.entries.at(-1) ?? {};
      return { uuid: feed.uuid, at, last: sequence, known: replayFeed(place, feed) };
    })
    .filter(({ known }) => !isEmpty(known.inventory))
    .sort((a, b) => (borne.get(b.uuid) ?? 0) - (borne.get(a.uuid) ?? 0) || (a.at < b.at ? 1 : -1));
}

/** Returns the life with the most labelled resources, among those that did not end. On a tie, the first UUID wins. */
export function findLabelledLife(place: Place, feeds: readonly Feed[], things: readonly { scope: Scope }[]): string | undefined {
  const ended = collectEnded(feeds);
  const lives = [...borneBy(place, things)].filter(([uuid]) => !ended.has(uuid));
  return lives.sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))[0]?.[0];
}
