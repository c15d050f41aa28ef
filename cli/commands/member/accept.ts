import { resolve } from 'node:path';
import { inputError } from '../../../core/errors.js';
import { NAME, NAME_RULE } from '../../../core/names.js';
import { type AcceptPlan, planAcceptance } from '../../../members/accept-invitation.js';
import { fingerprintOfText, openInvitation } from '../../../members/invitation.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { acceptText } from '../../render/members/members.js';
import { reportDeclined } from '../../shared/declined.js';
import { openSealedAt } from '../../shared/members/invitation-lock.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<file>', 'an invitation that `member invite` wrote']],
  options: [
    { flags: '--identity <file>', about: 'age identity that opens it (default: your age keys)' },
    { flags: '--profile <name>', about: "name of the profile in Temporal's configuration file (default: team)" },
    { flags: '--check', about: 'show the result, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    "Connects this home to a team. It writes the certificate and the store's password into the folder `team` of the home, and a profile into Temporal's configuration file. It also writes the settings and encryption keys of the home. A home with another store, engine or key is refused. If something cannot be written, nothing is changed. A newer invitation of the same team replaces an older one. The passphrase is prompted for without being shown, or read from standard input.",
  examples: ['member accept ann.age', 'member accept ann.age --identity age-identity.txt --profile shop'],
  async run(session, { args: [file], flags: { identity, profile = 'team', check, yes } }) {
    if (!NAME.test(profile))
      throw inputError({ code: 'bad-arguments', what: 'read the command line', on: '--profile', why: `use ${NAME_RULE}` });
    if (!yes && !check) needsYes(session, 'accept the invitation', file, '--check to only look');
    const path = resolve(session.cwd, file);
    const { text, sealed, opener } = await openSealedAt(session, path, identity);
    const invitation = await openInvitation(sealed, await opener(), path);
    const { plan, accept } = await planAcceptance(session, invitation, profile);
    const fingerprint = fingerprintOfText(text);
    if (!session.json) session.out.write(acceptText(plan, fingerprint));
    if (!check) {
      if (!yes && !(await session.confirm(`Write this into ${session.home.root}?`))) return reportDeclined(session);
      await accept();
    }
    if (session.json) writeDocument(session, { ...plan, fingerprint, written: check !== true });
    else if (!check) session.out.write(nextText(plan));
    return 0;
  },
});

function nextText({ keys }: AcceptPlan): string {
  const own = keys.kms ? [`give this machine credentials of its own for ${keys.kms}; docs/operate/encryption.md`] : [];
  return [...own, 'accepted; remove the invitation, and connect:', '  provisioning up --no-worker', ''].join('\n');
}
