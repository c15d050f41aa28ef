import type { Connection } from '@temporalio/client';
import { READ_AT_ONCE } from '../../app/infra/lost.js';
import { mapAtOnce } from '../../core/at-once.js';
import type { ServedEngine } from '../../core/engine/engine.js';
import { messageOf } from '../../core/errors.js';
import { describeLostInfra } from '../../core/recovery/lost-infras.js';
import type { Home } from '../../home/home.js';
import type { FeedStore } from '../../stores/feeds.js';
import { listKnownInfras } from './operations-now.js';

/** Maximum number of named infras; `infra recover` lists all. */
const NAMED = 20;

/**
 * Reports infras with a feed in the store that the engine does not know, although they were not deleted: one line for
 * all of them.
 */
export async function findLostInfraProblems(
  connection: Connection,
  served: Pick<ServedEngine, 'namespace' | 'taskQueue'>,
  env: NodeJS.ProcessEnv,
  home: Home,
): Promise<string[]> {
  const { openStores } = await import('../../stores/open-stores.js');
  const { feeds, close } = await openStores(home, env);
  try {
    const lost = await lostOf(feeds, () => listKnownInfras(connection, served));
    if (lost.length === 0) return [];
    const more = lost.length > NAMED ? [`${lost.length - NAMED} more`] : [];
    const names = [...lost.slice(0, NAMED), ...more].join(', ');
    return [
      `the store has what the engine does not know of, ${names}: \`provisioning infra recover\` lists what can be brought back`,
    ];
  } finally {
    await close();
  }
}

/**
 * Returns infras whose feed has content. Feeds of deleted infras stay, and are read only if the engine does not know
 * the name.
 */
async function lostOf(feeds: FeedStore, known: () => Promise<ReadonlySet<string>>): Promise<string[]> {
  const fed = await feeds.infras();
  if (fed.length === 0) return [];
  const living = await known();
  const unknown = fed.filter(({ workspace, infra }) => !living.has(`${workspace}/${infra}`));
  const lost = await mapAtOnce(unknown, READ_AT_ONCE, async ({ workspace, infra }) => {
    const read = await feeds.read({ workspace, infra }).catch((error: unknown) => ({ damaged: messageOf(error) }));
    if (!describeLostInfra({ workspace, infra, feeds: read, orphans: [], hasKey: false })) return [];
    return [workspace === 'default' ? infra : `${infra} of workspace ${workspace}`];
  });
  return lost.flat();
}
