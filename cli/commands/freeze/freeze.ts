import { inputError } from '../../../core/errors.js';
import { nearest } from '../../../definition/source/did-you-mean.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { describeFrozen, TENANT_OPTION } from '../../shared/limits/limited-tenant.js';
import { parseFrozenPlace } from '../../shared/limits/parse-frozen-place.js';

export const command = defineCommand({
  arguments: [['[place]', 'workspace, or WORKSPACE/INFRA']],
  options: [
    { flags: '--all', about: 'all workspaces' },
    TENANT_OPTION,
    { flags: '--reason <text>', about: 'reason, for everybody whose change is refused' },
  ],
  details:
    'New changes are refused, and running operations pause before their next step. `unfreeze` resumes them. Previews and reads go on, and operations can be canceled. --all also freezes the workspaces of all tenants. A tenant without a place is frozen as a whole. With --env only the infras in this environment are frozen; PROVISIONING_ENV has no effect here. Infras in no known environment are listed as not held.',
  examples: [
    'freeze default --reason incident-42',
    'freeze default/shop --reason audit',
    'freeze default --env prod --reason incident-42',
    'freeze --all --reason incident-42',
    'freeze --tenant acme --reason incident-42',
  ],
  async run(session, { args: [place], flags: { all, reason, tenant, env } }) {
    const frozen = parseFrozenPlace(place, { all, tenant, env });
    if (reason === undefined) {
      const isMeant = nearest(place ?? '', ['list']) !== undefined;
      const hint = isMeant ? 'did you mean "freeze list"?' : 'provisioning freeze default --reason incident-42';
      throw inputError({ code: 'bad-arguments', what: 'freeze', why: 'a freeze needs a reason', hint });
    }
    const made = await (await session.client()).freezes.create({ ...frozen, reason });
    if (session.json) writeDocument(session, made);
    else {
      const { isNew, by, since, reason: why, paused, notHeld = [] } = made;
      const on = describeFrozen(made, tenant);
      session.out.write(isNew ? `frozen: ${on}\n` : `already frozen: ${on}, by ${by} since ${since}: ${why}\n`);
      session.out.write(`paused operations: ${paused.length}\n`);
      if (notHeld.length > 0) session.out.write(`not held, in no environment: ${notHeld.join(', ')}\n`);
    }
    return 0;
  },
});
