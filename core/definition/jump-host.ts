import { parseJumpHost } from './addresses.js';

/** A host to go through, with who logs in there. */
export interface JumpHost {
  user: string;
  address: string;
  port: number;
}

/**
 * The jump host that `user@address:port` of a definition means; undefined where it is not of that form.
 *
 * @param user who logs in there where it does not say
 */
export function jumpHostAt(text: string, user: string): JumpHost | undefined {
  const parts = parseJumpHost(text);
  return parts && { user: parts.user ?? user, address: parts.host, port: parts.port ?? 22 };
}

/**
 * Name under which a jump host's key is stored, next to those of servers. No server can have such a name. All users of
 * the host share it. It is safe as a file name and in `known_hosts`.
 */
export function jumpKeyName({ address, port }: Pick<JumpHost, 'address' | 'port'>): string {
  const plain = address.toLowerCase().replace(/[^a-z0-9.-]/g, (letter) => `%${letter.codePointAt(0)?.toString(16)}`);
  return `jump@${plain}:${port}`;
}
