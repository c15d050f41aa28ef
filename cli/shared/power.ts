import { selectNamed, splitList } from '../../authoring/request/named.js';
import { findInventory, subject } from '../../authoring/request/which-infra.js';
import { inputError } from '../../core/errors.js';
import type { PowerVerb } from '../../core/operation/power.js';
import { type FlagsOf, HARMLESS, INFRA, type Input, type OptionSpec } from '../command.js';
import type { Session } from '../program/session.js';
import { operate } from './operate.js';

export const SERVER_ARGUMENTS = [['[names...]', 'servers; the name of those with a count means all of them']] as const;

/** Options without those for destruction, because switching destroys nothing. */
export const POWER = [
  { flags: '--role <role>', about: 'all servers of this role' },
  ...HARMLESS,
  INFRA,
] as const satisfies readonly OptionSpec[];

/** Switches existing servers, by name or by role. */
export async function switchServers(
  session: Session,
  { args, flags }: Input<string[], FlagsOf<typeof POWER>>,
  verb: PowerVerb,
): Promise<number> {
  const { infra } = await subject(session, flags);
  const { servers = [] } = await selectNamed(session, { infra }, { servers: splitList(args) });
  const chosen = [...new Set([...servers, ...(flags.role === undefined ? [] : await ofRole(session, infra, flags.role))])];
  if (chosen.length === 0)
    throw inputError({
      code: 'which-servers',
      what: `${verb} servers`,
      on: infra,
      why: 'no server was named',
      hint: `provisioning server ${verb} NAME, or --role ROLE`,
    });
  const intent = { verb, servers: chosen };
  return operate(session, flags, { kind: 'server', infra, intent, harmless: verb === 'start' });
}

async function ofRole(session: Session, infra: string, role: string): Promise<string[]> {
  const all = Object.values((await findInventory(session, infra)).servers);
  const found = all.filter(({ spec }) => spec.role === role).map(({ name }) => name);
  if (found.length > 0) return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const roles = [...new Set(all.map(({ spec }) => spec.role))].sort();
  throw inputError({
    code: 'unknown-role',
    what: 'find the servers',
    on: role,
    why: `the infra "${infra}" has no server with this role`,
    hint: roles.length > 0 ? `its roles are ${roles.join(', ')}` : `the infra has no servers`,
  });
}
