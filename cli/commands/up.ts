import { runEngine } from '../../client/engine-program/run-engine.js';
import type { UpResult } from '../../core/engine/engine.js';
import { inputError } from '../../core/errors.js';
import { defineCommand } from '../command.js';
import { columns, paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';
import { reportsFor } from '../render/reports.js';
import { formatServeArguments, rowsOfServer, SERVE_OPTIONS } from '../shared/platform/serve-options.js';
import { TRANSPORTS } from '../shared/web-ui.js';

export const command = defineCommand({
  options: [
    { flags: '--local', about: 'also prepare this machine for local servers: a container engine and the host image' },
    { flags: '--rebuild', about: 'build the engine with mutual TLS again, and restart it' },
    { flags: '--no-worker', about: 'do not start a worker' },
    { flags: '--no-supervisor', about: 'do not restart the worker after a crash' },
    { flags: '--install-service', about: 'let systemd supervise it, and start it with the machine (as root) or with your session' },
    { flags: '--allow-this-host', about: 'allow definitions to use this machine (host: this) as root; remembered' },
    { flags: '--api', about: 'also run the API server, until down; its options follow' },
    ...SERVE_OPTIONS,
    { flags: '--profile <name>', about: "use the service of this profile in Temporal's configuration file; remembered" },
  ],
  details:
    'Safe to repeat. The state is in a file and survives `down`, `up` and a crash. With --api the API server runs beside the worker, as `serve` does. The supervisor restarts it after a crash, and `down` stops it. As long as there is no administrator, each `up --api` prints a code for the first one.',
  examples: ['up', 'up --local', 'up --api', 'up --profile prod'],
  async run(session, { flags }) {
    const serve = formatServeArguments(flags, session.cwd);
    if (!flags.api && serve.length > 0) {
      const why = `${serve[0]?.replace(/=.*/s, '')} is an option of the API server, which is not asked for`;
      throw inputError({ code: 'bad-arguments', what: 'start the engine', why, hint: 'provisioning up --api' });
    }
    const options = [
      flags.api && '--api',
      ...serve.map((option) => `--api=${option}`),
      flags.local && '--local',
      flags.rebuild && '--rebuild',
      flags.worker === false && '--no-worker',
      flags.supervisor === false && '--no-supervisor',
      flags.installService && '--install-service',
      flags.allowThisHost && '--allow-this-host',
      flags.profile && `--profile=${flags.profile}`,
    ];
    const reports = reportsFor(session);
    const args = ['up', ...options.filter((option) => typeof option === 'string')];
    const { result, exitCode } = await runEngine<UpResult>(session, args, reports.report).finally(reports.end);
    if (session.json) writeDocument(session, result);
    else {
      const rows = [
        ['engine', `${result.engine} at ${result.address}${about(result)}`],
        ['worker', result.worker],
        ...(result.store ? [['store', result.store]] : []),
        ...(result.service ? [['service', result.service]] : []),
        ...(result.api ? rowsOfServer(result.api) : []),
        ...(result.ui ? [['Web UI', 'provisioning ui']] : []),
      ];
      const paint = paintFor(session.out);
      const warnings = (result.warnings ?? []).map((warning) => `${paint('yellow', 'warning:')} ${warning}`);
      const lines = [...columns(rows.map(([title = '', text = '']) => [paint('dim', title), text])), ...warnings];
      session.out.write(`${lines.join('\n')}\n`);
    }
    return exitCode;
  },
});

function about({ version, transport }: UpResult): string {
  const known = [version && `Temporal ${version}`, transport && TRANSPORTS[transport]].filter(Boolean);
  return known.length === 0 ? '' : ` (${known.join(', ')})`;
}
