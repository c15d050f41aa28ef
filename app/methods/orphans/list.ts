import * as z from 'zod';
import { attributesFrom } from '../../../core/operation/search-attributes.js';
import type { orphans } from '../../../workflows/index.js';
import { method } from '../../method.js';
import { removalReport } from '../../schemas/clouds.js';
import { workspace } from '../../schemas/ids.js';
import { inquire } from '../../temporal/inquiry.js';

export const listOrphans = method({
  name: 'orphans.list',
  summary: 'What the providers of a workspace have that bears our labels and belongs to nobody',
  input: z.strictObject({ workspace }),
  output: removalReport,
  permission: { action: 'orphan:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal: { actor } }, { workspace }) =>
    inquire<typeof orphans>(
      engine,
      'orphans',
      { workspace, actor },
      {
        id: `orphans-list-${workspace}`,
        summary: `Look for orphans of workspace ${workspace}`,
        attributes: attributesFrom({ workspace, actor, kind: 'orphans' }),
      },
    ),
});
