import { definitionFrom, type InputFlags } from '../../../authoring/definition/definitions.js';
import { keepCredentials } from '../../../authoring/secrets/keep-environment.js';
import { inputError } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import type { RecoveryReport } from '../../../core/recovery/recovery-report.js';
import { DEFINITION_INPUT, defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { recoveryText, renderLost } from '../../render/backup/recovery.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { forbidGitServers, NO_GIT_SERVERS } from '../../shared/without-git-servers.js';

export const command = defineCommand({
  arguments: [
    ['[infra]', 'infra that the engine has lost, or whose workflow cannot continue (default, without --file: list them)'],
  ],
  options: [
    {
      flags: '--file <file>',
      about: 'definition file with the existing machines (`host:`) of the infra, if it has no feed',
    },
    { flags: '--check', about: 'only report' },
    { flags: '--yes', about: 'skip the confirmation' },
    ...DEFINITION_INPUT,
  ],
  details: `Restores the inventory and definitions of an infra. Use it after the loss of engine data, after the restore of an older copy,\nor if its workflow cannot continue (see \`status\`). The former workflow is ended, and its operations with locks end with \`grant-lost\`.\nThe data comes from the feed of the infra in the store. Without a feed it comes from labels and from marks on hosts. A server is restored\nif its label names the infra and the mark on its host agrees. An existing machine is restored if its host has a mark of\nthis platform. The command shows services from the journals of hosts. Without an infra it lists infras that the engine\ndoes not know, but the store or labels have. It changes nothing at the providers or on hosts, and fails\nif the infra still works. Exit code 3 if an account or a host did not answer. ${NO_GIT_SERVERS}`,
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
    if (!yes && !(await session.confirm(`Restore ${infra} as shown?`))) return reportDeclined(session);
    const report = await (await session.client()).infras.recover(lost);
    if (session.json) writeDocument(session, report);
    else session.out.write(`recovered: ${infra}. \`provisioning apply --check\` shows what differs from its definition.\n`);
    return exitCodeOf(report);
  },
});

/** Returns the named infra, or the infra of a definition with its existing hosts. */
async function meant(session: Session, named: string | undefined, file: string | undefined, input: InputFlags) {
  const { workspace } = session;
  if (file === undefined) return { workspace, infra: named ?? '' };
  const { infra, servers } = await definitionFrom(forbidGitServers(session), file, input);
  if (named !== undefined && named !== infra) {
    const why = `the file describes the infra "${infra}", not "${named}"`;
    const hint = `provisioning infra recover --file ${file} recovers "${infra}"`;
    throw inputError({ code: 'other-infra', what: 'read the definition', on: file, why, hint });
  }
  return { workspace, infra, machines: servers.flatMap(({ taskservs: _, ...spec }) => (spec.host ? [spec] : [])) };
}

async function list(session: Session): Promise<number> {
  await keepCredentials(session);
  const { workspace } = session;
  const report = await (await session.client()).infras.lost({ workspace });
  if (session.json) writeDocument(session, report);
  else session.out.write(renderLost(report, workspace, paintFor(session.out)));
  return report.unasked.length > 0 ? EXIT.notReached : EXIT.done;
}

function exitCodeOf({ unasked, servers, left = [] }: RecoveryReport): number {
  const silent = [...servers, ...left].some(({ host }) => host?.says === 'not-reached');
  return silent || unasked.length > 0 ? EXIT.notReached : EXIT.done;
}
