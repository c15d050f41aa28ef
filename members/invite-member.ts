import { existsSync } from 'node:fs';
import type { Context } from '../authoring/context.js';
import { inputError } from '../core/errors.js';
import type { Lock } from '../encryption/age-text.js';
import { createFile } from '../home/durable.js';
import { resolveEnvironment } from '../settings/settings.js';
import { openStores } from '../stores/open-stores.js';
import { openMembers } from '../stores/postgres/members.js';
import { fingerprintOfText, type Invitation, sealInvitation } from './invitation.js';
import { certificatesIn, makeCertificate } from './member-certificates.js';
import { checkMemberName } from './member-name.js';
import { CERTIFICATES_SCRIPT, needProgram, STORE_SCRIPT } from './run-script.js';
import { makeLogin } from './store-logins.js';
import { readTeamKeys } from './team-keys.js';
import { loopbackOf, type ServiceAddresses, storeFor, temporalFor } from './team-place.js';
import { readTeamStore, superuserEnvironment } from './team-store.js';

export interface InviteOptions extends ServiceAddresses {
  name: string;
  /** File to write. */
  out: string;
  /** Folder of certificates; undefined if Temporal requires none. */
  certificates?: string | undefined;
}

/** Changes that an invitation will make, and its content. Contains no secrets. */
export interface InvitePlan {
  member: string;
  file: string;
  temporal: { address: string; namespace: string; serverName?: string };
  store: { host: string; port: number };
  login: 'new' | 'new password';
  certificate?: { folder: string; state: 'new' } | { folder: string; state: 'kept'; ends: string };
  keys: { by: 'copy' | 'service'; kms?: string; ids: string[] };
  /** Addresses that the other machine may not reach. */
  loopback: string[];
}

/** Creates the invitation after the operator's approval. @returns the fingerprint of the file */
export type Invite = (lock: Lock) => Promise<{ fingerprint: string }>;

/**
 * Checks everything that an invitation needs, and changes nothing.
 *
 * @throws inputError with a code that begins with `member-` or `store-`
 */
export async function planInvitation({ home, env }: Context, asked: InviteOptions): Promise<{ plan: InvitePlan; invite: Invite }> {
  const { name, out, certificates: folder } = asked;
  checkMemberName(name, env.PGUSER);
  if (existsSync(out)) throw exists(out);
  const settled = await resolveEnvironment(home, env);
  const team = readTeamStore(settled);
  const superuser = superuserEnvironment(team, env);
  await needProgram(STORE_SCRIPT, env);
  if (folder !== undefined) await needProgram(CERTIFICATES_SCRIPT, env);
  const certificate = folder === undefined ? undefined : certificatesIn(folder).find((one) => one.name === name);
  const temporal = await temporalFor(home, settled, asked);
  const store = await storeFor(team, asked);
  const encryption = await readTeamKeys(home, settled);
  // A store that is encrypted with another key is refused before a login is created.
  await (await openStores(home, { ...team.env, PROVISIONING_STORE: team.url })).close();
  const isThere = (await loginsAt(team)).includes(name);
  const { keys } = encryption;
  const plan: InvitePlan = {
    member: name,
    file: out,
    temporal,
    store: { host: store.host, port: store.port },
    login: isThere ? 'new password' : 'new',
    ...(folder !== undefined && {
      certificate: certificate ? { folder, state: 'kept', ends: certificate.ends } : { folder, state: 'new' },
    }),
    keys: { by: keys.by, ...(keys.by === 'service' && { kms: keys.kms }), ids: keys.keys.map(({ id }) => id) },
    loopback: loopbackOf(temporal, store),
  };
  const invite: Invite = async (lock) => {
    const sealed = (invitation: Invitation) => sealInvitation(invitation, lock, out);
    const draft = { member: name, temporal, store: { ...store, password: 'x' }, encryption };
    // An invitation that cannot be encrypted is refused before a login or certificate is created.
    await sealed(draft);
    const tls = folder === undefined ? undefined : await makeCertificate(folder, name, env);
    const password = await makeLogin(name, superuser);
    const text = await sealed({ ...draft, temporal: { ...temporal, ...(tls && { tls }) }, store: { ...store, password } });
    if (!(await createFile(out, text))) throw exists(out);
    return { fingerprint: fingerprintOfText(text) };
  };
  return { plan, invite };
}

async function loginsAt({ url, env }: { url: string; env: NodeJS.ProcessEnv }): Promise<string[]> {
  const members = await openMembers(url, env);
  const logins = await members.logins().finally(() => members.close());
  return logins.map(({ name }) => name);
}

const exists = (on: string) =>
  inputError({
    code: 'member-invitation',
    what: 'write the invitation',
    on,
    why: 'a file with this name exists',
    hint: 'choose a new file: --out FILE',
  });
