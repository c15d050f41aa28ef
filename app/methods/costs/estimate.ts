import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { sumCosts } from '../../../core/machine/cost.js';
import { queryInventory } from '../../infra/entity.js';
import { method } from '../../method.js';
import { readPrices } from '../../plan/read-prices.js';
import { costEstimate } from '../../schemas/cost.js';
import { infra } from '../../schemas/ids.js';

export const estimateCosts = method({
  name: 'costs.estimate',
  summary: 'Return the cost of the servers in the last applied definition of an infra; asks the providers for prices',
  input: z.strictObject(infra),
  output: costEstimate,
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['nothing-applied', 'unknown-infra'],
  async run(call, place) {
    const refuse = (code: string, why: string, hint: string) =>
      inputError({ code, what: 'estimate the cost', on: place.infra, why, hint });
    const inventory = await queryInventory(call.engine, place);
    if (!inventory) throw refuse('unknown-infra', `the workspace "${place.workspace}" has no such infra`, 'list the infras');
    const { definition } = inventory;
    if (!definition) throw refuse('nothing-applied', 'this infra has never been applied', 'apply a definition');
    const priceOf = await readPrices(call, definition.servers);
    const servers = definition.servers.map(priceOf);
    return { infra: place.infra, servers, ...sumCosts(servers) };
  },
});
