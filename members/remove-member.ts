import type { Context } from '../authoring/context.js';
import { inputError } from '../core/errors.js';
import { resolveEnvironment } from '../settings/settings.js';
import { refuseGivenKeys, rotateKey } from '../stores/files/rotate-key.js';
import { type KeptName, openMembers } from '../stores/postgres/members.js';
import { findKeyPlace } from './keys/key-place.js';
import { certificatesIn, type MemberCertificate, renewClients } from './member-certificates.js';
import { checkMemberName } from './member-name.js';
import { CERTIFICATES_SCRIPT, needProgram, STORE_SCRIPT } from './run-script.js';
import { removeLogin } from './store-logins.js';
import { readTeamStore, superuserEnvironment } from './team-store.js';

export interface RemoveOptions {
  name: string;
  /** Folder of certificates; undefined if Temporal requires none. */
  certificates?: string | undefined;
  renewCertificates: boolean;
  rotateKey: boolean;
}

/** Changes that a removal will make, and the remaining manual work. */
export interface RemovePlan {
  member: string;
  /** Open connections that will be closed; undefined if the person has no login. */
  connections?: number;
  certificates?: { folder: string; ends?: string; renew: boolean; remaining: string[] };
  rotateKey: boolean;
  /** All others with a login or a certificate. */
  remaining: string[];
  /** Secrets that the person could read, which must get new values. */
  secrets: KeptName[];
  /** Infras whose SSH key the person could copy. */
  infras: { workspace: string; infra: string }[];
}

export interface RemoveResult {
  login: 'removed' | 'none';
  certificates: 'renewed' | 'kept' | 'none';
  /** Key that encrypts from now on. */
  key?: string;
}

/**
 * Checks everything that a removal needs, and changes nothing.
 *
 * @throws inputError `no-member`, or with a code that begins with `member-` or `store-`
 */
export async function planRemoval(
  context: Context,
  asked: RemoveOptions,
): Promise<{ plan: RemovePlan; remove: () => Promise<RemoveResult> }> {
  const { home, env } = context;
  const { name, certificates: folder, renewCertificates, rotateKey: rotate } = asked;
  checkMemberName(name, env.PGUSER);
  const settled = await resolveEnvironment(home, env);
  const team = readTeamStore(settled);
  if (new URL(settled.PROVISIONING_STORE ?? '').username === name) throw own(name);
  const superuser = superuserEnvironment(team, env);
  await needProgram(STORE_SCRIPT, env);
  if (renewCertificates) await needProgram(CERTIFICATES_SCRIPT, env);
  if (rotate) refuseGivenKeys(settled, 'leave out --rotate-key');
  const people = folder === undefined ? [] : certificatesIn(folder);
  const members = await openMembers(team.url, team.env);
  try {
    const logins = await members.logins();
    const login = logins.find((one) => one.name === name);
    const certified = people.find((one) => one.name === name);
    if (!login && !certified) throw unknown(name, members.name);
    const plan: RemovePlan = {
      member: name,
      ...(login && { connections: login.connections }),
      ...(folder !== undefined && { certificates: certificatesPlan(folder, people, certified, renewCertificates) }),
      rotateKey: rotate,
      remaining: [...new Set([...logins, ...people].map((one) => one.name))].filter((one) => one !== name).sort(),
      secrets: await members.secrets(),
      infras: await members.infras(),
    };
    const remove = async (): Promise<RemoveResult> => {
      if (login) await removeLogin(name, superuser);
      const { remaining = [] } = plan.certificates ?? {};
      if (folder !== undefined && renewCertificates) await renewClients(folder, remaining, env);
      const certificates = folder === undefined ? 'none' : renewCertificates ? 'renewed' : 'kept';
      const key = rotate ? (await rotateKey(home, await findKeyPlace(context))).id : undefined;
      return { login: login ? 'removed' : 'none', certificates, ...(key !== undefined && { key }) };
    };
    return { plan, remove };
  } finally {
    await members.close();
  }
}

function certificatesPlan(
  folder: string,
  people: readonly MemberCertificate[],
  own: MemberCertificate | undefined,
  renew: boolean,
) {
  const remaining = people.filter((one) => one !== own).map(({ name }) => name);
  return { folder, renew, remaining, ...(own && { ends: own.ends }) };
}

const own = (on: string) =>
  inputError({
    code: 'member-name',
    what: 'remove the member',
    on,
    why: 'this home uses this login to open the store',
    hint: 'run the command on the machine of another member',
  });

const unknown = (on: string, store: string) =>
  inputError({
    code: 'no-member',
    what: 'remove the member',
    on,
    why: `${store} has no login with this name, and no certificate for it exists`,
    hint: 'provisioning member list',
  });
