import { sweepLeft } from '../../../../authoring/test-environments/sweep-left.js';
import { inputError, messageOf } from '../../../../core/errors.js';
import { EXIT } from '../../../../core/exit-codes.js';
import { defineCommand } from '../../../command.js';
import { writeDocument } from '../../../render/document.js';
import { reportDeclined } from '../../../shared/declined.js';
import { needsYes } from '../../../shared/needs-yes.js';
import { environmentNamed } from '../../../shared/test-environments/named-environment.js';

export const command = defineCommand({
  arguments: [['[name]', 'the test environment']],
  options: [
    { flags: '--all', about: 'all test environments of the workspace' },
    { flags: '--expired', about: 'environments whose time is over, or whose command was killed' },
    { flags: '--yes', about: 'remove all without a confirmation' },
  ],
  details: 'Removes hosts, networks and volumes, and waits until all are gone. Running operations are ended first.',
  examples: ['test env cleanup postgres-3f9a2c', 'test env cleanup --all --yes', 'test env cleanup --expired'],
  async run(session, { args: [name], flags: { all, expired, yes } }) {
    if ([name !== undefined, all, expired].filter(Boolean).length !== 1) {
      const why = 'choose a test environment, or add --all or --expired';
      throw inputError({ code: 'bad-arguments', what: 'read the command line', why, hint: 'provisioning test env list' });
    }
    if (name !== undefined) await environmentNamed(session, name);
    const { workspace } = session;
    const { testEnvironments } = await session.client();
    const known = name === undefined ? await testEnvironments.list({ workspace }) : [];
    if (all && !yes && known.length > 0) {
      needsYes(session, 'remove all test environments', workspace, 'provisioning test env list to see them');
      const names = known.map(({ infra }) => infra).join(', ');
      if (!(await session.confirm(`Remove ${names}, with what works on them?`))) return reportDeclined(session);
    }
    const swept = name === undefined ? await sweepLeft(session) : [];
    const now = new Date().toISOString();
    const named =
      name === undefined
        ? known.filter(({ infra, expires }) => !swept.includes(infra) && (all || expires < now)).map(({ infra }) => infra)
        : [name];
    const failed: { environment: string; why: string }[] = [];
    await Promise.all(
      named.map((infra) =>
        testEnvironments.remove({ workspace, infra }).catch((error: unknown) => {
          const { code } = (error as { details?: { code?: string } }).details ?? {};
          // The environment may just have expired.
          if (code !== 'unknown-environment') failed.push({ environment: infra, why: messageOf(error) });
        }),
      ),
    );
    const removed = [...swept, ...named.filter((infra) => !failed.some(({ environment }) => environment === infra))];
    if (session.json) writeDocument(session, { removed, failed });
    else {
      session.out.write(removed.length === 0 ? 'there is nothing to remove\n' : `removed: ${removed.join(', ')}\n`);
      for (const { why } of failed) session.err.write(`${why}\n`);
    }
    return failed.length > 0 ? EXIT.failed : EXIT.done;
  },
});
