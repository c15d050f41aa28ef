import { resolve } from 'node:path';
import { inputError } from '../../../core/errors.js';
import { quote } from '../../../core/host/shell.js';
import { type InvitePlan, planInvitation } from '../../../members/invite-member.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { inviteText } from '../../render/members/members.js';
import { reportDeclined } from '../../shared/declined.js';
import { CERTIFICATES, certificatesFolder } from '../../shared/members/certificates-folder.js';
import { chooseLock } from '../../shared/members/invitation-lock.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the person: a login of PostgreSQL']],
  options: [
    { flags: '--out <file>', about: 'new file to write, mode 600' },
    { flags: '--recipient <age1…>', about: 'age recipient of the person, instead of a passphrase', repeated: true },
    CERTIFICATES,
    { flags: '--without-certificate', about: 'create no certificate: Temporal requires none' },
    { flags: '--address <host:port>', about: 'address of Temporal for the person (default: the address used here)' },
    { flags: '--server-name <name>', about: 'name in the certificate of Temporal (default: the name used here)' },
    { flags: '--store <host:port>', about: 'address of the store for the person (default: the address used here)' },
    { flags: '--check', about: 'show what would be created, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    "Creates a login of the store and a certificate for a person. Writes one encrypted file for `member accept` with addresses, certificate, login, password and encryption keys. An existing login gets a new password. PGUSER and PGPASSWORD name a superuser of the store's PostgreSQL. The passphrase is prompted for without being shown, or read from standard input.",
  examples: [
    'member invite ann --out ann.age',
    'member invite ann --recipient age1… --out ann.age --address temporal.example.org:7233 --store db.example.org',
  ],
  async run(session, { args: [name], flags }) {
    const { out, recipient = [], certificates, withoutCertificate, address, serverName, store } = flags;
    if (!out) throw inputError({ code: 'bad-arguments', what: 'read the command line', why: '--out FILE is missing' });
    if (certificates !== undefined && withoutCertificate)
      throw inputError({
        code: 'bad-arguments',
        what: 'read the command line',
        why: '--certificates and --without-certificate exclude each other',
      });
    const folder = withoutCertificate ? undefined : certificatesFolder(session, certificates);
    const reached = { address, serverName, store };
    const { plan, invite } = await planInvitation(session, {
      name,
      out: resolve(session.cwd, out),
      certificates: folder,
      ...reached,
    });
    if (!session.json) session.out.write(inviteText(plan, recipient));
    if (flags.check) return done(session.json, () => writeDocument(session, { ...plan, written: false }));
    if (!flags.yes) {
      needsYes(session, 'invite the member', name, '--check to only look');
      if (!(await session.confirm(questionOf(plan)))) return reportDeclined(session);
    }
    const { fingerprint } = await invite(await chooseLock(session, recipient));
    if (session.json) writeDocument(session, { ...plan, fingerprint, written: true });
    else session.out.write(nextText(plan, fingerprint, recipient.length > 0));
    return 0;
  },
});

function done(json: boolean, write: () => void): number {
  if (json) write();
  return 0;
}

const questionOf = ({ member, login, file }: InvitePlan): string =>
  login === 'new' ? `Make the login ${member}, and write ${file}?` : `Give ${member} a new password, and write ${file}?`;

const nextText = ({ file }: InvitePlan, fingerprint: string, byRecipient: boolean): string =>
  [
    `wrote ${file}`,
    `fingerprint: ${fingerprint}`,
    byRecipient ? 'send the file' : 'send the file, and the passphrase by another way',
    'on the machine of the person, if it shows the same fingerprint:',
    `  provisioning member accept ${quote(file.split('/').at(-1) ?? file)}`,
    '',
  ].join('\n');
