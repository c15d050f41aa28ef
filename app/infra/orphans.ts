import type { Orphan, RemovalReport } from '../../core/operation/orphans.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { orphans } from '../../workflows/index.js';
import type { Engine } from '../engine.js';
import { inquire } from '../temporal/inquiry.js';

/**
 * Finds resources at the providers of a workspace that have labels of this installation and are in no inventory.
 *
 * @param what name of the search, for people
 * @param remove resources to remove, if they are still orphans
 */
export const askOrphans = (
  engine: Engine,
  { workspace, actor, remove, what }: { workspace: string; actor: string; remove?: Orphan[]; what?: string },
): Promise<RemovalReport> =>
  inquire<typeof orphans>(
    engine,
    'orphans',
    { workspace, actor, ...(remove && { remove }) },
    {
      id: `orphans-${remove ? 'remove' : 'list'}-${workspace}`,
      summary: remove
        ? `Remove ${remove.length} orphans of workspace ${workspace}`
        : `Look for ${what ?? 'orphans'} of workspace ${workspace}`,
      attributes: attributesFrom({ workspace, actor, kind: 'orphans' }),
    },
  );
