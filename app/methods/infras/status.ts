import { attributesFrom } from '../../../core/operation/search-attributes.js';
import { requests } from '../../../core/schema/requests.js';
import type { refresh } from '../../../workflows/index.js';
import { method } from '../../method.js';
import { driftReport } from '../../schemas/clouds.js';
import { inquire } from '../../temporal/inquiry.js';

export const statusOfInfra = method({
  name: 'infras.status',
  summary: 'Check the hosts and providers of an infra and return the state of its servers and services; changes nothing',
  input: requests.refresh.omit({ actor: true, record: true, askAgainMs: true }),
  output: driftReport,
  permission: { action: 'infra:status', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['unknown-infra'],
  run: ({ engine, principal: { actor } }, { workspace, infra, ...what }) =>
    inquire<typeof refresh>(
      engine,
      'refresh',
      { workspace, infra, actor, ...what },
      {
        id: `status-${workspace}-${infra}`,
        summary: `Look at the servers of ${infra}`,
        attributes: attributesFrom({ workspace, infra, actor, kind: 'refresh' }),
      },
    ),
});
