import { jumpHostAt, jumpKeyName } from '../core/definition/jump-host.js';
import type { ExpandedServer } from './expanded-server.js';
import type { Findings } from './source/findings.js';

/** A key that is written for a jump host: with one to go through, and the same for all servers behind it. */
export function checkJumpKeys(servers: ExpandedServer[], findings: Findings): void {
  const written = new Map<string, { key: string; name: string }>();
  for (const { spec, path } of servers) {
    if (spec.host?.kind !== 'ssh' || !spec.host.jumpHostKey) continue;
    const { jump, jumpHostKey, user } = spec.host;
    const at = [...path, 'host', 'jumpHostKey'];
    const host = jump === undefined ? undefined : jumpHostAt(jump, user);
    if (jump === undefined) findings.value(at, 'there is no host to go through', 'write jump: user@address:port');
    if (!host) continue;
    const key = jumpHostKey.split(' ').slice(0, 2).join(' ');
    const other = written.get(jumpKeyName(host));
    if (other && other.key !== key) findings.value(at, `the server "${other.name}" says another key of the same jump host`);
    else written.set(jumpKeyName(host), { key, name: spec.name });
  }
}
