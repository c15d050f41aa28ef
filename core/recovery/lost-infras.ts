import type { Feed } from '../infra/feed.js';
import type { Orphan, OrphanReport } from '../operation/orphans.js';
import { collectEnded, collectLives, type Life } from './lives.js';

/** An infra of which something is left, and that the engine does not know. */
export interface LostInfra {
  infra: string;
  /** The life that would be brought back. */
  feed?: { uuid: string; at: string; servers: number; networks: number };
  /** Why its feeds cannot be read. */
  damaged?: string;
  /** Number of resources with its labels by kind, without those of deleted lives. */
  labelled?: Record<string, number>;
  /** The store has the key of its hosts: as may be all there is of one on machines that were there before. */
  key?: true;
}

export interface LostReport {
  /** By name. */
  infras: LostInfra[];
  /** Accounts whose labelled resources could not be queried. */
  unasked: OrphanReport['unasked'];
}

/** Traces of an infra: its feeds, or why they are unreadable; labelled resources that no living infra knows; a key. */
export interface Traces {
  workspace: string;
  infra: string;
  feeds: readonly Feed[] | { damaged: string };
  orphans: readonly Orphan[];
  hasKey: boolean;
}

/** Describes what can be recovered of an infra that the engine does not know. Undefined if nothing can. */
export function describeLostInfra({ workspace, infra, feeds, orphans, hasKey }: Traces): LostInfra | undefined {
  const damaged = 'damaged' in feeds ? feeds.damaged : undefined;
  const all = 'damaged' in feeds ? [] : feeds;
  const ended = collectEnded(all);
  const [life] = collectLives({ workspace, infra }, all, orphans);
  const labelled: Record<string, number> = {};
  for (const { scope, kind } of orphans)
    if (scope.infra === infra && !ended.has(scope.uuid)) labelled[kind] = (labelled[kind] ?? 0) + 1;
  const isLabelled = Object.keys(labelled).length > 0;
  if (!life && damaged === undefined && !isLabelled && !hasKey) return undefined;
  return {
    infra,
    ...(life && { feed: shown(life) }),
    ...(damaged !== undefined && { damaged }),
    ...(isLabelled && { labelled }),
    ...(hasKey && { key: true }),
  };
}

const shown = ({ uuid, at, known: { inventory } }: Life): LostInfra['feed'] => ({
  ...{ uuid, at },
  servers: Object.keys(inventory.servers).length,
  networks: Object.keys(inventory.networks).length,
});
