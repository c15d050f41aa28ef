import { inputError } from '../../../core/errors.js';
import { defineCommand, NARROWED, UPDATE } from '../../command.js';
import { ON_SERVERS } from '../../shared/ensure.js';
import { upgradeTaskserv } from '../../shared/versions/upgrade.js';

const [STRATEGY, ...WAVES] = UPDATE;

export const command = defineCommand({
  arguments: [['<name>', 'a taskserv that is installed']],
  options: [
    { flags: '--to <version>', about: 'upgrade to this version, and write it into the definition file' },
    {
      flags: '--strategy <name>',
      about:
        'upgrade to the newest version that differs in the last number (patch), in the second (minor) or in any (major); none: stay at the version of the definition, and upgrade its package (the default)',
      choices: ['major', 'minor', 'patch', 'none'],
    },
    ...NARROWED,
    ON_SERVERS,
    { ...STRATEGY, flags: '--rollout <name>' },
    ...WAVES,
  ],
  details:
    'Looks at the hosts, shows what would be done, asks, and does it; as any change, in waves. Without --to and --strategy it installs the newest Debian package that the archive of each host has for the version that the definition names. With one of them it brings the service to another version that this release supports (`taskserv outdated` lists them), and writes that into the file of the definition, so that the next apply keeps it: the file is that of --file, or the one that was last applied, where it is as it was. Comments stay. Where nothing of the upgrade is left on hosts, the file gets its former text again. A downgrade, a withdrawn version and one that skips a version which the service needs on its way are refused (exit code 2).',
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
