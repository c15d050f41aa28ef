import { attributesFrom } from '../../../core/operation/search-attributes.js';
import { requests } from '../../../core/schema/requests.js';
import type { importServer as importWorkflow } from '../../../workflows/index.js';
import { method } from '../../method.js';
import { importReport } from '../../schemas/clouds.js';
import { inquire } from '../../temporal/inquiry.js';

export const importServer = method({
  name: 'servers.import',
  summary: 'Import a server that was created elsewhere into an infra; `check` only finds it',
  input: requests.importServer.omit({ actor: true, askAgainMs: true }),
  output: importReport,
  permission: { action: 'server:import', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['name-taken', 'owned-by-another', 'unknown-server', 'which-server'],
  run({ engine, principal: { actor } }, request) {
    const { workspace, infra, server, provider } = request;
    return inquire<typeof importWorkflow>(
      engine,
      'importServer',
      { ...request, actor },
      {
        id: `import-${workspace}-${infra}`,
        summary: `Import ${server} from ${provider} into ${infra}`,
        attributes: attributesFrom({ workspace, infra, actor, kind: 'import' }),
      },
    );
  },
});
