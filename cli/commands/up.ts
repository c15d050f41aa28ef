import type { UpResult } from '../../core/engine.js';
import type { Command } from '../command.js';
import { runEngine } from '../engine.js';
import { writeDocument } from '../render/document.js';
import { reportsFor } from '../render/reports.js';
import { columns, paintFor } from '../screen.js';

export const command: Command = {
  options: [
    { flags: '--local', about: 'also get this machine ready for local servers: a container engine and the host image' },
    { flags: '--rebuild', about: 'build the engine anew' },
    { flags: '--no-worker', about: 'start no worker' },
    { flags: '--profile <name>', about: "use the service of this profile of Temporal's configuration file; remembered" },
  ],
  details: 'Safe to repeat. State is kept in a file and survives down, up and a crash.',
  examples: ['up', 'up --local', 'up --profile prod'],
  async run(session, { flags }) {
    const options = [
      flags.local && '--local',
      flags.rebuild && '--rebuild',
      flags.worker === false && '--no-worker',
      flags.profile && `--profile=${flags.profile}`,
    ];
    const reports = reportsFor(session);
    const args = ['up', ...options.filter((option) => typeof option === 'string')];
    const { result, exitCode } = await runEngine<UpResult>(session, args, reports.report).finally(reports.end);
    if (session.json) writeDocument(session, result);
    else {
      const rows = [
        ['engine', `${result.engine} at ${result.address}${result.version ? ` (Temporal ${result.version})` : ''}`],
        ['worker', result.worker],
        ...(result.store ? [['store', result.store]] : []),
        ...(result.ui ? [['Web UI', 'provisioning ui']] : []),
      ];
      const paint = paintFor(session.out);
      session.out.write(`${columns(rows.map(([title = '', text = '']) => [paint('dim', title), text])).join('\n')}\n`);
    }
    return exitCode;
  },
};
