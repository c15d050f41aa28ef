import { requests } from '../../../core/schema/requests.js';
import { compareInfra } from '../../infra/compare-infra.js';
import { method } from '../../method.js';
import { driftReport } from '../../schemas/clouds.js';

export const refreshInfra = method({
  name: 'infras.refresh',
  summary: 'Compare the inventory of an infra with the clouds and the hosts; `record` removes missing resources from the inventory',
  input: requests.refresh.omit({ actor: true, askAgainMs: true }),
  output: driftReport,
  permission: { action: 'infra:refresh', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['unknown-infra'],
  run: (call, request) =>
    compareInfra(call, request, { purpose: 'refresh', summary: `Compare the inventory of ${request.infra} with the clouds` }),
});
