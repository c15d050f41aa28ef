import { listOf, named } from '../../app/request/named.js';
import { subject } from '../../app/request/which-infra.js';
import type { FlagsOf, Input, NARROWED, OptionSpec } from '../command.js';
import type { Session } from '../session.js';
import { operate } from './operate.js';

export const ON_SERVERS = {
  flags: '--server <names>',
  about: 'only on these servers, comma-separated',
} as const satisfies OptionSpec;

type NarrowedFlags = FlagsOf<typeof NARROWED>;

/** Servers of the definition, or those that are named. */
export async function ensureServers(session: Session, { args, flags }: Input<string[], NarrowedFlags>): Promise<number> {
  const about = await subject(session, flags);
  const chosen = await named(session, about, { servers: listOf(args) });
  return operate(session, flags, { kind: 'server', ...about, intent: { verb: 'ensure', ...chosen } });
}

/** Taskservs of the definition, or those that are named, on all servers or on some. */
export async function ensureTaskservs(
  session: Session,
  { args, flags }: Input<string[], NarrowedFlags & FlagsOf<[typeof ON_SERVERS]>>,
): Promise<number> {
  const about = await subject(session, flags);
  const chosen = await named(session, about, { taskservs: listOf(args), servers: listOf([flags.server ?? '']) });
  return operate(session, flags, { kind: 'taskserv', ...about, intent: { verb: 'ensure', ...chosen } });
}

/** All of the definition. */
export async function ensureCluster(session: Session, { flags }: Input<unknown, NarrowedFlags>): Promise<number> {
  return operate(session, flags, { kind: 'cluster', ...(await subject(session, flags)), intent: { verb: 'ensure' } });
}
