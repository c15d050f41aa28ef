import { formerRelease } from '../../../app/infra/former-release.js';
import { inputError } from '../../../core/errors.js';
import { defineCommand, INFRA, OPERATION, PLAN_OUT, UPDATE } from '../../command.js';
import { application, type OnServer, releasesIn, releasesScript, unitOf } from '../../shared/applications/applications.js';
import { askServers } from '../../shared/applications/ask-servers.js';
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
    'Applies the definition that is in force with the entry that the application had with a former release: its environment and processes too. The servers change as at any change. No migration runs or is undone. The file of the definition still says what it said: the next apply deploys that.',
  examples: ['app rollback shop --check', 'app rollback shop', 'app rollback shop --to 1a2b3c4d5e6f'],
  async run(session, { args: [name = ''], flags }) {
    const app = await application(session, { name, infra: flags.infra }, WHAT);
    const said = await askServers(session, app, releasesScript(app, unitOf(app)), WHAT);
    const release = chosen(
      name,
      [...said].map(([server, text]) => releasesIn(server, text)),
      flags.to,
    );
    const { inventory } = app;
    const definition = await formerRelease(session, inventory, name, release);
    if (!session.json) session.out.write(`to the release ${release}; the next apply of the definition deploys what that says\n`);
    return operate(session, flags, {
      kind: 'cluster',
      infra: inventory.infra,
      intent: { verb: 'ensure', prune: true },
      definition,
    });
  },
});

/** The release that is meant, which all servers have. @throws inputError `unknown-release` */
function chosen(name: string, byServer: readonly OnServer[][], to?: string): string {
  const [first = [], ...others] = byServer;
  const everywhere = first.filter(({ release }) => others.every((rows) => rows.some((one) => one.release === release)));
  const runs = first.findIndex(({ since }) => since !== undefined);
  const before = first.slice(runs + 1).find((one) => everywhere.includes(one));
  const found = to === undefined ? before : everywhere.find(({ release }) => release.startsWith(to));
  if (found) return found.release;
  const why = to === undefined ? 'no release from before is on all servers' : `the release "${to}" is not on all servers`;
  throw inputError({ code: 'unknown-release', what: WHAT, on: name, why, hint: `provisioning app releases ${name}` });
}
