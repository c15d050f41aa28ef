import { mapAtOnce } from '../../core/at-once.js';
import { messageOf } from '../../core/errors.js';
import { describeLostInfra, type LostReport } from '../../core/recovery/lost-infras.js';
import type { Engine } from '../engine.js';
import { queryInfras } from './entity.js';
import { askOrphans } from './orphans.js';

/** Feeds that are read at a time, because a store limits concurrent reads. */
export const READ_AT_ONCE = 20;

/** The infras of a workspace that the engine does not know, and of which the store or labels have something. */
export async function findLostInfras(engine: Engine, workspace: string, actor: string): Promise<LostReport> {
  const { stores } = engine;
  const found = await askOrphans(engine, { workspace, actor, what: 'lost infras' });
  const [known, fed, keys] = await Promise.all([
    queryInfras(engine, workspace),
    stores.feeds.infras(),
    stores.keys.infras(workspace),
  ]);
  const names = new Set([
    ...fed.filter((one) => one.workspace === workspace).map(({ infra }) => infra),
    ...keys,
    ...found.orphans.map(({ scope }) => scope.infra),
  ]);
  for (const name of known) names.delete(name);
  const infras = await mapAtOnce([...names].sort(), READ_AT_ONCE, async (infra) => {
    const feeds = await stores.feeds.read({ workspace, infra }).catch((error: unknown) => ({ damaged: messageOf(error) }));
    return describeLostInfra({ workspace, infra, feeds, orphans: found.orphans, hasKey: keys.includes(infra) });
  });
  return { infras: infras.flatMap((one) => one ?? []), unasked: found.unasked };
}
