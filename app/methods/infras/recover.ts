import * as z from 'zod';
import { requests } from '../../../core/schema/requests.js';
import { recover } from '../../infra/recover.js';
import { method } from '../../method.js';
import { recoveryReport } from '../../schemas/recovery.js';

export const recoverInfra = method({
  name: 'infras.recover',
  summary: 'Restore an infra that the engine has lost, from its feed or from labels and the marks of hosts; `check` only reports',
  input: requests.labels.omit({ actor: true }).extend({ check: z.boolean().optional() }),
  output: recoveryReport,
  permission: { action: 'infra:recover', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['feed-damaged', 'infra-lives', 'nothing-to-recover'],
  run: ({ engine, principal: { actor } }, { check = false, ...lost }) => recover(engine, lost, actor, check),
});
