import { formerRelease } from '../../../app/infra/former-release.js';
import { defineCommand, INFRA, OPERATION, PLAN_OUT, UPDATE } from '../../command.js';
import { application, releasesIn, releasesScript, unitOf } from '../../shared/applications/applications.js';
import { askServers } from '../../shared/applications/ask-servers.js';
import { chooseRelease } from '../../shared/applications/choose-release.js';
import { operate } from '../../shared/operate.js';

const WHAT = 'roll the application back';

export const command = defineCommand({
  arguments: [['<name>', 'the application']],
  options: [
    { flags: '--to <release>', about: 'one that is on the servers (`app releases`), or its beginning; default: the one before' },
    INFRA,
    ...OPERATION,
    PLAN_OUT,
    ...UPDATE,
  ],
  details:
    'Applies the definition that is in force with the entry that the application had with a former release: its environment and processes too. A server that never had the release gets it from the source that is kept with the definition. The servers change as at any change. No migration runs or is undone. The file of the definition still says what it said: the next apply deploys that.',
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
