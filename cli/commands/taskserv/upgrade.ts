import { inputError } from '../../../core/errors.js';
import { defineCommand, NARROW_OPTIONS, UPDATE } from '../../command.js';
import { SERVERS_OPTION } from '../../shared/ensure.js';
import { upgradeTaskserv } from '../../shared/versions/upgrade.js';

const [STRATEGY, ...WAVES] = UPDATE;

export const command = defineCommand({
  arguments: [['<name>', 'an installed taskserv']],
  options: [
    { flags: '--to <version>', about: 'upgrade to this version, and write it into the definition file' },
    {
      flags: '--strategy <name>',
      about:
        'newest version to upgrade to: patch changes the last number, minor the second, major any; none upgrades only the package (the default)',
      choices: ['major', 'minor', 'patch', 'none'],
    },
    ...NARROW_OPTIONS,
    SERVERS_OPTION,
    { ...STRATEGY, flags: '--rollout <name>' },
    ...WAVES,
  ],
  details:
    'Checks the hosts, shows a preview, asks for confirmation, and upgrades in waves. Without --to and --strategy it installs the newest Debian package of the current version from the archive of each host. With --to or --strategy it upgrades the service to another supported version (see `taskserv outdated`). It writes that version into the definition file, so that the next apply keeps it. The file is given by --file; otherwise it is the last applied file, if it has not changed. Comments stay. If the upgrade is rolled back completely, the file gets its former text again. The command rejects a downgrade, a withdrawn version, and a version that skips a required one (exit code 2).',
  examples: [
    'taskserv upgrade redis',
    'taskserv upgrade traefik --to 3.3.5 --file shop.yaml',
    'taskserv upgrade traefik --strategy minor --check',
    'taskserv upgrade nginx --infra shop --server web-1 --check',
    'taskserv upgrade redis --yes',
  ],
  async run(session, { args: [name], flags }) {
    const { to, strategy, planOut } = flags;
    const refuse = (why: string, hint: string) => inputError({ code: 'bad-arguments', what: 'read the command line', why, hint });
    if (to !== undefined && strategy !== undefined)
      throw refuse('--to and --strategy exclude each other', '--to names the version, --strategy has it chosen');
    const named = to !== undefined || (strategy !== undefined && strategy !== 'none');
    if (named && planOut !== undefined)
      throw refuse('a saved plan writes no file', 'write the version into the definition, and save the plan of `apply`');
    return upgradeTaskserv(session, name, { to, strategy }, flags);
  },
});
