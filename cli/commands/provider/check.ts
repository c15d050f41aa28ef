import { askAccountReport } from '../../../authoring/catalog/answers.js';
import { accountNamed } from '../../../authoring/catalog/provider-account.js';
import { messageOf, ProvisioningError, TRANSIENT } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import { accountName } from '../../../core/machine/account.js';
import type { AccountReport } from '../../../core/machine/catalog.js';
import { defineCommand } from '../../command.js';
import { columns, type Paint, paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { listKnownAccounts } from '../../shared/platform/known-accounts.js';

type Checked = { provider: string } & ({ report: AccountReport } | { code: string; why: string; hint?: string });

export const command = defineCommand({
  arguments: [['[provider]', 'a provider, or one of its accounts (default: all accounts with credentials)']],
  details: 'Uses the credentials of the worker. Exit code 2 if an account is rejected, 3 if it cannot be reached.',
  examples: ['provider check', 'p check hetzner/prod', 'p check --json'],
  async run(session, { args: [written] }) {
    const accounts = written === undefined ? await allOf(session) : [(await accountNamed(session, written)).name];
    const checked: Checked[] = [];
    let exitCode: number = EXIT.done;
    for (const provider of accounts) {
      try {
        checked.push({ provider, report: await askAccountReport(session, provider) });
      } catch (error) {
        // If a single account was requested, its error is the answer.
        if (!(error instanceof ProvisioningError) || written !== undefined) throw error;
        const { code, hint, blame } = error.details;
        exitCode = Math.max(exitCode, blame === TRANSIENT ? EXIT.notReached : EXIT.badInput);
        checked.push({ provider, code, why: messageOf(error), ...(hint ? { hint } : {}) });
      }
    }
    if (session.json) writeDocument(session, { accounts: checked });
    else if (checked.length === 0)
      session.out.write('no account of a cloud has credentials here; docs/use/clouds.md says where they may be\n');
    else session.out.write(checked.map((one) => textOf(one, paintFor(session.out))).join('\n'));
    return exitCode;
  },
});

async function allOf(session: Session): Promise<string[]> {
  const known = await listKnownAccounts(session);
  return known.flatMap(({ name, isFree, accounts }) =>
    isFree ? [] : accounts.map((account) => accountName({ provider: name, account })),
  );
}

function textOf(one: Checked, paint: Paint): string {
  if (!('report' in one)) return `${paint('bold', one.provider)}: ${paint('red', one.why)}${one.hint ? `\n  ${one.hint}` : ''}\n`;
  const { identity, abilities, limits } = one.report;
  const mark = (allowed: boolean | undefined) =>
    allowed === undefined ? paint('yellow', 'not known') : allowed ? paint('green', 'yes') : paint('red', 'no');
  const lines = [
    ...abilities.map(({ what, allowed, why }) => [`  ${what}`, mark(allowed), why ?? '']),
    ...limits.map(({ what, used, limit }) => [`  ${what}`, `${used ?? '?'} of ${limit ?? 'no limit known'}`, '']),
  ];
  return `${[`${paint('bold', one.provider)}: ${identity}`, ...columns(lines)].join('\n')}\n`;
}
