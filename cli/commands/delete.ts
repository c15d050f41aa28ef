import { namedInfra } from '../../app/request/which-infra.js';
import { defineCommand, OPERATION, PLAN_OUT } from '../command.js';
import { operate } from '../shared/operate.js';

export const command = defineCommand({
  arguments: [['<infra>', 'name of the infra']],
  options: [...OPERATION, PLAN_OUT],
  details:
    'Deletes its servers, volumes and networks; hosts that existed before are cleaned instead. Refused for what is protected.',
  examples: ['delete quickstart', 'delete quickstart --check', 'cluster delete quickstart --yes'],
  async run(session, { args: [name = ''], flags }) {
    const infra = await namedInfra(session, flags, name);
    return operate(session, flags, { kind: 'cluster', infra, intent: { verb: 'delete' }, destroysByName: true });
  },
});
