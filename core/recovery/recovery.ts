import { type Feed, hasEnded, type KnownInfra, replayed } from '../infra/feed.js';
import { type InventoryServer, isEmpty } from '../infra/inventory.js';
import { type Labelled, type RecoveryReport, reportOf } from './recovery-report.js';
import { recoveredWithoutFeed } from './recovery-without-feed.js';

/** A report, and what the entity is begun with. */
export interface Recovery {
  report: RecoveryReport;
  known: KnownInfra;
  /** The number of the last change in the feed; 0: there is none. */
  last: number;
}

interface Place {
  workspace: string;
  infra: string;
}

/** Whether a feed is of a life that can be brought back. */
const isLife = (place: Place, feed: Feed): boolean => !hasEnded(feed) && !isEmpty(replayed(place, feed).inventory);

/** Whether a feed says what the infra was: hosts need not be asked. */
export const hasLife = (place: Place, feeds: readonly Feed[]): boolean => feeds.some((feed) => isLife(place, feed));

/**
 * What can be brought back of an infra: the life that its feed has, of several the one whose labels most things bear,
 * else the latest; without a feed what bears labels of one life, and machines whose mark is of that life; without
 * labels machines whose mark is proven. A life that ended in a deletion is not brought back.
 *
 * @param machines of the definition that were there before, as an inventory has them
 */
export function recoveryOf(
  place: Place,
  feeds: readonly Feed[],
  labelled: Labelled,
  machines: readonly InventoryServer[] = [],
): Recovery | undefined {
  const borne = (uuid: string) => labelled.things.filter(({ scope }) => scope.uuid === uuid).length;
  const at = ({ entries }: Feed) => entries.at(-1)?.at ?? '';
  const [life] = feeds
    .filter((feed) => isLife(place, feed))
    .sort((a, b) => borne(b.uuid) - borne(a.uuid) || (at(a) < at(b) ? 1 : -1));
  if (life) {
    const known = replayed(place, life);
    const report = reportOf(known.inventory, 'feed', labelled);
    return { report: { ...report, at: at(life) }, known, last: life.entries.at(-1)?.sequence ?? 0 };
  }
  const without = recoveredWithoutFeed(place, feeds, labelled, machines);
  if (!without) return undefined;
  const { inventory, report } = without;
  const last = feeds.find(({ uuid }) => uuid === inventory.uuid)?.entries.at(-1)?.sequence ?? 0;
  return { report, known: { inventory, definitions: { entries: [], contents: {} } }, last };
}
