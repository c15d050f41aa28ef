import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hostname } from 'node:os';
import type { PrincipalOf } from '../../api/request/authenticate.js';
import { createGroupMember } from '../../app/principal.js';

/** An administrator whose token is good as long as this process runs. */
export interface TemporaryAdministrator {
  token: string;
  principalOf: PrincipalOf;
}

/** Makes the token, and the principal that it stands for. It may not use paths of this machine, as the owner may. */
export function createTemporaryAdministrator(): TemporaryAdministrator {
  const token = `prov_temporary_${randomBytes(32).toString('base64url')}`;
  const expected = digest(token);
  const principal = createGroupMember(`administrator@${hostname()}`);
  return { token, principalOf: async (bearer) => (timingSafeEqual(digest(bearer), expected) ? principal : undefined) };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
