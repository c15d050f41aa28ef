import { unitOf } from '../../../app/application/applications.js';
import { inputError } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import { NO_MACHINE_CREDENTIALS } from '../../../core/host/machine-credentials.js';
import { sh } from '../../../core/host/shell.js';
import { locateApp } from '../../../core/taskserv/app-layout.js';
import { confinedService } from '../../../core/taskserv/unit-texts.js';
import { defineCommand, INFRA } from '../../command.js';
import { application, wrapAsRoot } from '../../shared/applications/applications.js';
import { startShell } from '../../ssh/host-text.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { explainNotStarted } from '../../ssh/reached-server.js';
import { shellOn } from '../../ssh/ssh.js';

const WHAT = 'run the command';

export const command = defineCommand({
  arguments: [['<name>', 'the application']],
  options: [INFRA, { flags: '--server <name>', about: 'run on this server (default: the first that has the application)' }],
  details:
    'Runs the words after -- in the folder of the running release, as the user of the application and with its environment. One word is a shell command line; several words are passed on unchanged. Arguments are visible to other users of the server: do not write a secret into them. The exit code is the exit code of the command.',
  examples: ['app exec shop -- node report.js', 'app exec shop --server shop-2 -- "env | sort"'],
  async run(session, { args: [name = ''], flags, rest }) {
    if (rest.length === 0) {
      const why = 'the command is missing: write it after --';
      throw inputError({ code: 'bad-arguments', what: WHAT, why, hint: `provisioning app exec ${name} -- env` });
    }
    const app = await application(session, { name, ...flags }, WHAT);
    const [server] = app.servers;
    if (!server) throw inputError({ code: 'unknown-app', what: WHAT, on: name, why: 'no server has the application' });
    const { folder, remove } = await prepareKeys(session, app.inventory, [server]);
    try {
      const words = rest.length === 1 ? ['/bin/sh', '-c', rest[0] ?? ''] : rest;
      const script = execScript(name, unitOf(app), words);
      const { program, args } = shellOn(server, { keys: folder, interactive: session.interactive, what: WHAT }, [
        wrapAsRoot(server, script),
      ]);
      const child = startShell(session, { program, args }, { terminal: false });
      return await new Promise<number>((resolve, reject) => {
        child.once('error', (error) => reject(explainNotStarted(error, program, WHAT, server.name)));
        child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? EXIT.interrupted : EXIT.failed)));
      });
    } finally {
      await remove();
    }
  },
});

/** Runs like a process of the application, in a unit that ends with it. */
function execScript(name: string, unit: string, words: readonly string[]): string {
  const { own, data, env } = locateApp(name);
  const properties = [
    `User=${own}`,
    `StateDirectory=${own}`,
    `Environment=HOME=${data}`,
    `EnvironmentFile=${env}`,
    ...confinedService({ devices: true }),
    'CapabilityBoundingSet=',
    NO_MACHINE_CREDENTIALS,
  ];
  // systemd would expand variables that the shell on the host must see.
  const literal = words.map((word) => word.replaceAll('$', () => '$$'));
  return sh`exec systemd-run --quiet --wait --pipe --collect ${properties.map((one) => `--property=${one}`)} --property=WorkingDirectory="$(systemctl show -P WorkingDirectory ${unit})" -- ${literal}`;
}
