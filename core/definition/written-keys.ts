import type { ServerSpec } from './definition.js';
import { jumpHostAt, jumpKeyName } from './jump-host.js';

/**
 * The host keys that a definition says itself: of a machine that exists already, and of
 * the jump host before it. By the names under which keys are kept.
 */
export function listWrittenKeys({ name, host }: Pick<ServerSpec, 'name' | 'host'>): { name: string; key: string }[] {
  if (host?.kind !== 'ssh') return [];
  const jump = host.jump && host.jumpHostKey ? jumpHostAt(host.jump, host.user) : undefined;
  return [
    ...(host.hostKey ? [{ name, key: host.hostKey }] : []),
    ...(jump && host.jumpHostKey ? [{ name: jumpKeyName(jump), key: host.jumpHostKey }] : []),
  ];
}
