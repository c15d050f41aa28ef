import { formerRelease } from '../../../authoring/former/former-release.js';
import { defineCommand, INFRA, OPERATION, PLAN_OUT, UPDATE } from '../../command.js';
import { application, releasesIn, releasesScript, unitOf } from '../../shared/applications/applications.js';
import { askServers } from '../../shared/applications/ask-servers.js';
import { chooseRelease } from '../../shared/applications/choose-release.js';
import { operate } from '../../shared/operate.js';

const WHAT = 'roll the application back';

export const command = defineCommand({
  arguments: [['<name>', 'the application']],
  options: [
    {
      flags: '--to <release>',
      about: 'release on the servers (see `app releases`), or the beginning of its name (default: the previous release)',
    },
    INFRA,
    ...OPERATION,
    PLAN_OUT,
    ...UPDATE,
  ],
  details:
    "Applies the current definition with the application's entry of an earlier release, including its environment and processes. A server that never had the release gets it from the source that is stored with the definition. Servers change in waves, as in every change. No migration runs or is undone. The definition file does not change: the next apply deploys its release.",
  examples: ['app rollback shop --check', 'app rollback shop', 'app rollback shop --to 1a2b3c4d5e6f'],
  async run(session, { args: [name = ''], flags }) {
    const app = await application(session, { name, infra: flags.infra }, WHAT);
    const said = await askServers(session, app, releasesScript(app, unitOf(app)), WHAT);
    const byServer = new Map([...said].map(([server, text]) => [server, releasesIn(server, text)] as const));
    const { release, missing } = chooseRelease(name, byServer, flags.to);
    const { inventory } = app;
    const definition = await formerRelease(session, inventory, name, release);
    if (!session.json && missing.length > 0) session.out.write(`${missing.join(', ')} never had it: it is brought there\n`);
    if (!session.json) session.out.write(`to the release ${release}; the next apply of the definition deploys what that says\n`);
    return operate(session, flags, {
      kind: 'cluster',
      infra: inventory.infra,
      intent: { verb: 'ensure', prune: true },
      definition,
    });
  },
});
