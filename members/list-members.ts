import { existsSync } from 'node:fs';
import type { Context } from '../authoring/context.js';
import { resolveEnvironment } from '../settings/settings.js';
import { openMembers } from '../stores/postgres/members.js';
import { certificatesIn } from './member-certificates.js';
import { readTeamStore } from './team-store.js';

export interface Member {
  name: string;
  login: boolean;
  /** Open connections to the store. */
  connections: number;
  /** Expiry of the last certificate, ISO time; undefined if the folder has no certificate of the person. */
  certificateEnds?: string;
}

/**
 * Returns the people with a login of the store or a certificate, by name.
 *
 * @param folder folder of certificates; a missing default folder is ignored
 * @throws as `openMembers`; inputError `member-certificates`
 */
export async function listMembers(
  { home, env }: Context,
  folder: string,
  isNamed: boolean,
): Promise<{ store: string; certificates?: string; members: Member[] }> {
  const team = readTeamStore(await resolveEnvironment(home, env));
  const isThere = isNamed || existsSync(folder);
  const people = new Map((isThere ? certificatesIn(folder) : []).map(({ name, ends }) => [name, ends]));
  const members = await openMembers(team.url, team.env);
  const logins = new Map(
    (await members.logins().finally(() => members.close())).map(({ name, connections }) => [name, connections]),
  );
  const names = [...new Set([...logins.keys(), ...people.keys()])].sort();
  return {
    store: members.name,
    ...(isThere && { certificates: folder }),
    members: names.map((name) => {
      const ends = people.get(name);
      return { name, login: logins.has(name), connections: logins.get(name) ?? 0, ...(ends && { certificateEnds: ends }) };
    }),
  };
}
