import { inputError } from '../../../core/errors.js';
import { DEFINITION_INPUT, defineCommand, OPERATION, UPDATE } from '../../command.js';
import { upgradeCluster } from '../../shared/clusters/upgrade-cluster.js';
import { SERVERS_OPTION } from '../../shared/ensure.js';

const [STRATEGY, ...WAVES] = UPDATE;

export const command = defineCommand({
  arguments: [
    ['<infra>', 'an infra'],
    ['[taskserv]', 'only this taskserv (default: all that have newer versions)'],
  ],
  options: [
    { flags: '--to <version>', about: 'upgrade the taskserv to this version, and write it into the definition file' },
    {
      flags: '--strategy <name>',
      about:
        'newest version to upgrade to: patch changes the last number, minor the second, major any; none upgrades only packages (the default)',
      choices: ['major', 'minor', 'patch', 'none'],
    },
    ...OPERATION,
    SERVERS_OPTION,
    { flags: '--file <file>', about: 'definition file, instead of the last applied definition' },
    ...DEFINITION_INPUT,
    { ...STRATEGY, flags: '--rollout <name>' },
    ...WAVES,
  ],
  details:
    'Checks the hosts for outdated services and upgrades them one after another. Each upgrade works as `taskserv upgrade` does, with a preview, a confirmation, and waves of servers. It stops at the first service that fails or that you decline. If a host does not answer, nothing is upgraded (exit code 3).',
  examples: ['cluster upgrade shop --check', 'cluster upgrade shop --strategy minor', 'cluster upgrade shop postgres --to 17'],
  async run(session, { args: [infra, taskserv], flags }) {
    const { to, strategy } = flags;
    const refuse = (why: string, hint: string) => inputError({ code: 'bad-arguments', what: 'read the command line', why, hint });
    if (to !== undefined && strategy !== undefined)
      throw refuse('--to and --strategy exclude each other', '--to names the version, --strategy has it chosen');
    if (to !== undefined && taskserv === undefined)
      throw refuse(
        '--to is the version of one taskserv, and none is named',
        `provisioning cluster upgrade ${infra} TASKSERV --to ${to}`,
      );
    return upgradeCluster(session, infra, taskserv, { to, strategy }, flags);
  },
});
