import { definitionFrom, type InputFlags, keepCredentials } from '../../../app/definition/definitions.js';
import { inputError } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import type { RecoveryReport } from '../../../core/recovery/recovery-report.js';
import { DEFINITION_INPUT, defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { lostText, recoveryText } from '../../render/backup/recovery.js';
import { writeDocument } from '../../render/document.js';
import type { Session } from '../../session.js';
import { declined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { NO_GIT_SERVERS, withoutGitServers } from '../../shared/without-git-servers.js';

export const command = defineCommand({
  arguments: [
    [
      '[infra]',
      'an infra that the engine has lost, or whose workflow cannot go on; with neither this nor --file those that there are',
    ],
  ],
  options: [
    {
      flags: '--file <file>',
      about: 'its definition: names machines that were there before (`host:`), for where there is no feed',
    },
    { flags: '--check', about: 'only report' },
    { flags: '--yes', about: 'do not ask' },
    ...DEFINITION_INPUT,
  ],
  details: `Brings back inventory and definitions of an infra where the engine's data were lost, an older copy of them was restored,\nor its workflow cannot go on (\`status\` says so): that run is ended, and operations that hold locks there end with \`grant-lost\`.\nThey come from its feed in the store; without one from what bears its labels, and what the hosts say of themselves. A server comes back\nwhere its label says so and its host does not contradict; a machine that was there before, where its host bears a mark that\nthis set-up has written. What journals on hosts say of services is shown. Without an infra it lists those that the engine\ndoes not know and of which the store or labels have something. Changes nothing at the providers or on hosts, and is refused\nwhere the infra lives and goes on. Exit code 3 when an account or a host could not be asked. ${NO_GIT_SERVERS}`,
  examples: ['infra recover', 'infra recover shop --check', 'infra recover shop --yes', 'infra recover --file shop.yaml'],
  async run(session, { args: [named], flags: { file, check = false, yes = false, ...input } }) {
    if (named === undefined && file === undefined) return list(session);
    const lost = await meant(session, named, file, input);
    const { infra } = lost;
    if (!check && !yes) needsYes(session, 'recover the infra', infra, '--check to only look');
    await keepCredentials(session);
    const found = await (await session.client()).infras.recover({ ...lost, check: true });
    if (!session.json) session.out.write(recoveryText(found, paintFor(session.out)));
    if (check) {
      if (session.json) writeDocument(session, found);
      return exitCodeOf(found);
    }
    if (!yes && !(await session.confirm(`Bring back ${infra} like this?`))) return declined(session);
    const report = await (await session.client()).infras.recover(lost);
    if (session.json) writeDocument(session, report);
    else session.out.write(`recovered: ${infra}. \`provisioning apply --check\` shows what differs from its definition.\n`);
    return exitCodeOf(report);
  },
});

/** The infra that is named or that a definition is of, with the machines that were there before it. */
async function meant(session: Session, named: string | undefined, file: string | undefined, input: InputFlags) {
  const { workspace } = session;
  if (file === undefined) return { workspace, infra: named ?? '' };
  const { infra, servers } = await definitionFrom(withoutGitServers(session), file, input);
  if (named !== undefined && named !== infra) {
    const why = `the file is about the infra "${infra}", not "${named}"`;
    const hint = `provisioning infra recover --file ${file} is about "${infra}"`;
    throw inputError({ code: 'other-infra', what: 'read the definition', on: file, why, hint });
  }
  return { workspace, infra, machines: servers.flatMap(({ taskservs: _, ...spec }) => (spec.host ? [spec] : [])) };
}

async function list(session: Session): Promise<number> {
  await keepCredentials(session);
  const { workspace } = session;
  const report = await (await session.client()).infras.lost({ workspace });
  if (session.json) writeDocument(session, report);
  else session.out.write(lostText(report, workspace, paintFor(session.out)));
  return report.unasked.length > 0 ? EXIT.notReached : EXIT.done;
}

function exitCodeOf({ unasked, servers, left = [] }: RecoveryReport): number {
  const silent = [...servers, ...left].some(({ host }) => host?.says === 'not-reached');
  return silent || unasked.length > 0 ? EXIT.notReached : EXIT.done;
}
