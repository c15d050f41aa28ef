import type { Feed, KnownInfra } from '../infra/feed.js';
import type { InventoryServer } from '../infra/inventory.js';
import { collectLives, type Place } from './lives.js';
import { createRecoveryReport, type LabelledThings, type RecoveryReport } from './recovery-report.js';
import { recoverWithoutFeed } from './recovery-without-feed.js';

/** A report, and what the entity is begun with. */
export interface Recovery {
  report: RecoveryReport;
  known: KnownInfra;
  /** The number of the last change in the feed; 0: there is none. */
  last: number;
}

/** Whether a feed says what the infra was: hosts need not be asked. */
export const hasLife = (place: Place, feeds: readonly Feed[]): boolean => collectLives(place, feeds, []).length > 0;

/**
 * What can be brought back of an infra: the life that its feed has, of several the one whose labels most things bear,
 * else the latest; without a feed what bears labels of one life, and machines whose mark is of that life; without
 * labels machines whose mark is proven. A life that ended in a deletion is not brought back.
 *
 * @param machines of the definition that were there before, as an inventory has them
 */
export function planRecovery(
  place: Place,
  feeds: readonly Feed[],
  labelled: LabelledThings,
  machines: readonly InventoryServer[] = [],
): Recovery | undefined {
  const [life] = collectLives(place, feeds, labelled.things);
  if (life) {
    const { at, known, last } = life;
    return { report: { ...createRecoveryReport(known.inventory, 'feed', labelled), at }, known, last };
  }
  const without = recoverWithoutFeed(place, feeds, labelled, machines);
  if (!without) return undefined;
  const { inventory, report } = without;
  const last = feeds.find(({ uuid }) => uuid === inventory.uuid)?.entries.at(-1)?.sequence ?? 0;
  return { report, known: { inventory, definitions: { entries: [], contents: {} } }, last };
}
