import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { describeFrozen, TENANT_OPTION } from '../../shared/limits/limited-tenant.js';
import { parseFrozenPlace } from '../../shared/limits/parse-frozen-place.js';

export const command = defineCommand({
  arguments: [['[place]', 'workspace, or WORKSPACE/INFRA']],
  options: [{ flags: '--all', about: 'the freeze of all workspaces' }, TENANT_OPTION],
  details: 'Operations that the freeze paused go on. Operations that were paused before the freeze stay paused.',
  examples: [
    'unfreeze default',
    'unfreeze default/shop',
    'unfreeze default --env prod',
    'unfreeze --all',
    'unfreeze --tenant acme',
  ],
  async run(session, { args: [place], flags: { all, tenant, env } }) {
    const ended = await (await session.client()).freezes.delete(parseFrozenPlace(place, { all, tenant, env }));
    if (session.json) writeDocument(session, ended);
    else session.out.write(`unfrozen: ${describeFrozen(ended, tenant)}\nresumed operations: ${ended.resumed.length}\n`);
    return 0;
  },
});
