import type { AcceptPlan } from '../../../members/accept-invitation.js';
import type { InvitePlan } from '../../../members/invite-member.js';
import type { Member } from '../../../members/list-members.js';
import type { RemovePlan, RemoveResult } from '../../../members/remove-member.js';
import { columns, type Paint } from '../../program/screen.js';
import { renderTable } from '../inventory.js';
import { checkList } from './check-list.js';

const dayOf = (at: string): string => at.slice(0, 10);
const linesOf = (rows: readonly (readonly string[])[]): string => columns(rows.map((row) => ['', ...row])).join('\n');

const temporalText = ({ address, namespace, serverName }: InvitePlan['temporal']): string =>
  `${address}, namespace ${namespace}${serverName ? `, certificate of ${serverName}` : ''}`;

function keysText({ by, kms, ids }: InvitePlan['keys']): string {
  const keys = `${ids.length === 1 ? 'the encryption key' : 'the encryption keys'} ${ids.join(', ')}`;
  return by === 'copy' ? keys : `${keys}, wrapped by ${kms}`;
}

/** Renders what an invitation will create. */
export function inviteText(plan: InvitePlan, recipients: readonly string[]): string {
  const { member, temporal, store, login, certificate, keys, file, loopback } = plan;
  const certified = certificate
    ? `${certificate.folder}/${member}, ${certificate.state === 'new' ? 'new' : `ends ${dayOf(certificate.ends)}`}`
    : 'none';
  const rows = [
    ['Temporal', temporalText(temporal)],
    ['store', `${store.host}:${store.port}, ${login === 'new' ? 'a new login' : 'the login exists: a new password'}`],
    ['certificate', certified],
    ['keys', keysText(keys)],
    ['file', `${file}, ${recipients.length > 0 ? `for ${recipients.join(', ')}` : 'by a passphrase'}`],
  ];
  const warned = loopback.map((one) => `warning: only this machine reaches ${one} names another address\n`);
  return `invite ${member}\n${linesOf(rows)}\n${warned.join('')}`;
}

/** Renders what accepting an invitation will write. */
export function acceptText(plan: AcceptPlan, fingerprint: string): string {
  const { member, temporal, store, profile, keys, files } = plan;
  const rows = [
    ['fingerprint', fingerprint],
    ['Temporal', `${temporalText(temporal)}, profile ${profile}`],
    ['store', store],
    ['keys', `${keysText(keys)}${keys.address ? ` at ${keys.address}` : ''}`],
    ...files.map((file, index) => [index === 0 ? 'writes' : '', file]),
  ];
  return `invitation of ${member}\n${linesOf(rows)}\n`;
}

/** Renders the changes of a removal. */
export function removalText(plan: RemovePlan): string {
  const { member, connections, certificates, rotateKey } = plan;
  const rows = [
    ['login', connections === undefined ? 'there is no login' : `removed, with ${connections} open connections`],
    ...(certificates ? [['certificate', certificateText(certificates)]] : []),
    ...(rotateKey ? [['key', 'a new encryption key']] : []),
  ];
  return `remove ${member}\n${linesOf(rows)}\n`;
}

function certificateText({ ends, renew, remaining }: NonNullable<RemovePlan['certificates']>): string {
  const people = remaining.length > 0 ? remaining.join(', ') : 'nobody else';
  if (renew) return `a new authority; new certificates for the programs and ${people}`;
  return ends ? `not revoked, valid until ${dayOf(ends)} (--renew-certificates)` : 'there is no certificate';
}

/** Renders the completed removal and the check list. */
export function renderRemoved(plan: RemovePlan, { login, certificates, key }: RemoveResult): string {
  const done = [
    login === 'removed' ? `removed the login ${plan.member}` : `there was no login ${plan.member}`,
    ...(certificates === 'renewed' ? ['renewed the certificates'] : []),
    ...(key ? [`key ${key} encrypts from now on`] : []),
  ];
  const left = checkList(plan).map(({ what, run }) => `[ ] ${what}${run ? `\n    ${run}` : ''}`);
  return `${done.join('\n')}\n${left.length > 0 ? `left to do:\n${left.join('\n')}\n` : ''}`;
}

/** Renders the members with the expiry of their certificates. */
export function memberTable(
  { members, certificates }: { members: readonly Member[]; certificates?: string },
  paint: Paint,
): string {
  const rows = members.map(({ name, login, connections, certificateEnds: ends }) => [
    name,
    login ? 'yes' : 'no',
    String(connections),
    ends ? dayOf(ends) : certificates === undefined ? 'not known' : 'none',
  ]);
  return renderTable(['NAME', 'LOGIN', 'CONNECTIONS', 'CERTIFICATE ENDS'], rows, 'no members', paint);
}
