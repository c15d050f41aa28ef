import type { ServerSpec } from './definition.js';
import { jumpHostAt, jumpKeyName } from './jump-host.js';

/**
 * Host keys that a definition declares, of an existing machine and of the jump host before it, by the names under
 * which keys are stored.
 */
export function listWrittenKeys({ name, host }: Pick<ServerSpec, 'name' | 'host'>): { name: string; key: string }[] {
  if (host?.kind !== 'ssh') return [];
  const jump = host.jump && host.jumpHostKey ? jumpHostAt(host.jump, host.user) : undefined;
  return [
    ...(host.hostKey ? [{ name, key: host.hostKey }] : []),
    ...(jump && host.jumpHostKey ? [{ name: jumpKeyName(jump), key: host.jumpHostKey }] : []),
  ];
}
