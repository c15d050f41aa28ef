import { requests } from '../../../core/schema/requests.js';
import { compareInfra } from '../../infra/compare-infra.js';
import { method } from '../../method.js';
import { driftReport } from '../../schemas/clouds.js';

export const statusOfInfra = method({
  name: 'infras.status',
  summary: 'Check the hosts and providers of an infra and return the state of its servers and services; changes nothing',
  input: requests.refresh.omit({ actor: true, record: true, askAgainMs: true }),
  output: driftReport,
  permission: { action: 'infra:status', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['unknown-infra'],
  run: (call, request) => compareInfra(call, request, { purpose: 'status', summary: `Look at the servers of ${request.infra}` }),
});
