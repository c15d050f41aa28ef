import { inputError } from '../../../core/errors.js';
import { planRemoval, type RemovePlan } from '../../../members/remove-member.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { checkList } from '../../render/members/check-list.js';
import { removalText, renderRemoved } from '../../render/members/members.js';
import { reportDeclined } from '../../shared/declined.js';
import { CERTIFICATES, certificatesFolder } from '../../shared/members/certificates-folder.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the person']],
  options: [
    CERTIFICATES,
    { flags: '--without-certificate', about: 'keep certificates: Temporal requires none' },
    { flags: '--renew-certificates', about: 'create a new authority for clients, and certificates for all other members' },
    { flags: '--rotate-key', about: 'create a new encryption key; earlier keys still decrypt' },
    { flags: '--check', about: 'show what would be removed, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    "Ends the person's connections to the store and removes the login. Certificates cannot be revoked: --renew-certificates replaces the authority that signed them. Afterwards it prints a check list of what the person could read, such as secrets, and what to do about it. PGUSER and PGPASSWORD name a superuser of the store's PostgreSQL. It is safe to repeat.",
  examples: ['member remove bob --check', 'member remove bob --renew-certificates --rotate-key'],
  async run(session, { args: [name], flags }) {
    const { certificates, withoutCertificate, renewCertificates = false, rotateKey = false } = flags;
    if (withoutCertificate && (renewCertificates || certificates !== undefined))
      throw inputError({
        code: 'bad-arguments',
        what: 'read the command line',
        why: '--without-certificate excludes --certificates and --renew-certificates',
      });
    const folder = withoutCertificate ? undefined : certificatesFolder(session, certificates);
    const { plan, remove } = await planRemoval(session, { name, certificates: folder, renewCertificates, rotateKey });
    if (!session.json) session.out.write(removalText(plan));
    if (flags.check) {
      if (session.json) writeDocument(session, { ...plan, checkList: checkList(plan), removed: false });
      return 0;
    }
    if (!flags.yes) {
      needsYes(session, 'remove the member', name, '--check to only look');
      if (!(await session.confirm(questionOf(plan)))) return reportDeclined(session);
    }
    const result = await remove();
    if (session.json)
      writeDocument(session, {
        ...plan,
        ...result,
        certificates: { ...plan.certificates, state: result.certificates },
        checkList: checkList(plan),
        removed: true,
      });
    else session.out.write(renderRemoved(plan, result));
    return 0;
  },
});

function questionOf({ member, certificates, rotateKey }: RemovePlan): string {
  const more = [certificates?.renew && 'renew all certificates', rotateKey && 'make a new encryption key'].filter(Boolean);
  return `Remove ${[member, ...more].join(', ')}?`;
}
