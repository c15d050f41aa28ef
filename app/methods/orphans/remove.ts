import * as z from 'zod';
import { attributesFrom } from '../../../core/operation/search-attributes.js';
import { requests } from '../../../core/schema/requests.js';
import type { orphans } from '../../../workflows/index.js';
import { method } from '../../method.js';
import { removalReport } from '../../schemas/clouds.js';
import { workspace } from '../../schemas/ids.js';
import { inquire } from '../../temporal/inquiry.js';

export const removeOrphans = method({
  name: 'orphans.remove',
  summary: 'Remove orphans that were listed before and are still orphans; one that cannot be removed is named, and stops no other',
  input: z.strictObject({ workspace, remove: requests.orphans.shape.remove.unwrap() }),
  output: removalReport,
  permission: { action: 'orphan:remove', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal: { actor } }, { workspace, remove }) =>
    inquire<typeof orphans>(
      engine,
      'orphans',
      { workspace, actor, remove },
      {
        id: `orphans-remove-${workspace}`,
        summary: `Remove ${remove.length} orphans of workspace ${workspace}`,
        attributes: attributesFrom({ workspace, actor, kind: 'orphans' }),
      },
    ),
});
