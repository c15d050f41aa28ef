import { chooseNamedInfra } from '../../../authoring/request/which-infra.js';
import { defineCommand, HARMLESS } from '../../command.js';
import { operate } from '../../shared/operate.js';

export const command = defineCommand({
  arguments: [['<infra>', 'an infra']],
  options: [
    { flags: '--to <server>', about: 'server of the next leader (default: any member that is ready)' },
    { flags: '--taskserv <name>', about: 'service of the group (default: the only one whose lead can be given away)' },
    { flags: '--group <group>', about: 'name of the group, if the service has several' },
    ...HARMLESS,
  ],
  details:
    'Gives the lead of a group to another member, for example before maintenance of its server. Shows which member leads, and asks for confirmation. Clients of the leader are interrupted for a moment; no acknowledged write is lost. The step looks up the leader again, and changes nothing if the other member is not ready by then. Refused if the group has no leader, or if no other member is ready. `cluster status` shows the leader. A roll-back does not return the lead: switch over again.',
  examples: [
    'cluster switch-over shop',
    'cluster switch-over shop --to db-2 --yes',
    'cluster switch-over shop --taskserv patroni --check',
  ],
  async run(session, { args: [name], flags }) {
    const infra = await chooseNamedInfra(session, flags, name);
    const { taskserv, group, to } = flags;
    const intent = {
      verb: 'switch-over' as const,
      ...(taskserv !== undefined && { taskservs: [taskserv] }),
      ...(group !== undefined && { group }),
      ...(to !== undefined && { to }),
    };
    return operate(session, flags, { kind: 'taskserv', infra, intent });
  },
});
