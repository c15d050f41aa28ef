import { defineCommand, INFRA, OPERATION, PLAN_OUT, UPDATE } from '../../command.js';
import { findInfra } from '../../shared/applications/applications.js';
import { operate } from '../../shared/operate.js';

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
    const infra = await findInfra(session, { name, infra: flags.infra }, 'roll the application back');
    const { request, release, missing } = await (await session.client()).applications.rollback({
      ...{ workspace: session.workspace, infra, application: name },
      ...(flags.to !== undefined && { to: flags.to }),
    });
    if (!session.json && missing.length > 0) session.out.write(`${missing.join(', ')} never had it: it is brought there\n`);
    if (!session.json) session.out.write(`to the release ${release}; the next apply of the definition deploys what that says\n`);
    const { kind, intent, definition } = request;
    return operate(session, flags, { kind, infra, intent, ...(definition && { definition }) });
  },
});
