import type { Feed, KnownInfra } from '../infra/feed.js';
import type { InventoryServer } from '../infra/inventory.js';
import { collectLives, type Place } from './lives.js';
import { createRecoveryReport, type LabelledThings, type RecoveryReport } from './recovery-report.js';
import { recoverWithoutFeed } from './recovery-without-feed.js';

/** A report, and what the entity is begun with. */
export interface Recovery {
  report: RecoveryReport;
  known: KnownInfra;
  /** Number of the last change in the feed; 0 without one. */
  last: number;
}

/** Whether a feed says what the infra was: hosts need not be asked. */
export const hasLife = (place: Place, feeds: readonly Feed[]): boolean => collectLives(place, feeds, []).length > 0;

/**
 * Plans the recovery of an infra. The life of its feed is recovered. If several exist, it is the one with the most
 * labelled resources, otherwise the latest. Without a feed, it is the resources with labels of one life, and machines
 * with its mark. Without labels, it is machines with a proven mark. A life that ended in a deletion is not recovered.
 *
 * @param machines existing machines of the definition, as inventory entries
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
