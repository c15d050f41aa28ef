import { attributesFrom } from '../../../core/operation/search-attributes.js';
import { requests } from '../../../core/schema/requests.js';
import type { refresh } from '../../../workflows/index.js';
import { method } from '../../method.js';
import { driftReport } from '../../schemas/clouds.js';
import { inquire } from '../../temporal/inquiry.js';

export const refreshInfra = method({
  name: 'infras.refresh',
  summary: 'Compare the inventory of an infra with the clouds and the hosts; `record` removes missing resources from the inventory',
  input: requests.refresh.omit({ actor: true, askAgainMs: true }),
  output: driftReport,
  permission: { action: 'infra:refresh', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['unknown-infra'],
  run: ({ engine, principal: { actor } }, { workspace, infra, ...what }) =>
    inquire<typeof refresh>(
      engine,
      'refresh',
      { workspace, infra, actor, ...what },
      {
        id: `refresh-${workspace}-${infra}`,
        summary: `Compare the inventory of ${infra} with the clouds`,
        attributes: attributesFrom({ workspace, infra, actor, kind: 'refresh' }),
      },
    ),
});
