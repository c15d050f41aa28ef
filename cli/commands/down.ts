import { runEngine } from '../../client/engine-program/run-engine.js';
import type { DownResult } from '../../core/engine/engine.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { reportsFor } from '../render/reports.js';

export const command = defineCommand({
  details: 'Running operations continue after the next `up`. Servers and their services are not touched.',
  options: [{ flags: '--uninstall-service', about: 'also remove the service that `up --install-service` installed' }],
  async run(session, { flags }) {
    const reports = reportsFor(session);
    const { result, exitCode } = await runEngine<DownResult>(
      session,
      ['down', ...(flags.uninstallService ? ['--uninstall-service'] : [])],
      reports.report,
    ).finally(reports.end);
    if (session.json) writeDocument(session, result);
    else
      session.out.write(
        `${result.api ? `API: ${result.api}\n` : ''}worker: ${result.worker}\nengine: ${result.engine === 'configured' ? 'not ours to stop' : result.engine}\n`,
      );
    return exitCode;
  },
});
