import { selectNamed, splitList } from '../../authoring/request/named.js';
import { subject } from '../../authoring/request/which-infra.js';
import { inputError } from '../../core/errors.js';
import type { FlagsOf, Input, NARROW_OPTIONS, OptionSpec } from '../command.js';
import type { Session } from '../program/session.js';
import { operate } from './operate.js';

export const SERVERS_OPTION = {
  flags: '--server <names>',
  about: 'only on these servers, comma-separated',
} as const satisfies OptionSpec;

type NarrowedFlags = FlagsOf<typeof NARROW_OPTIONS>;

/** Applies all or the named servers of the definition. */
export async function ensureServers(session: Session, { args, flags }: Input<string[], NarrowedFlags>): Promise<number> {
  const about = await subject(session, flags);
  const chosen = await selectNamed(session, about, { servers: splitList(args) });
  return operate(session, flags, { kind: 'server', ...about, intent: { verb: 'ensure', ...chosen } });
}

/** Applies all or the named taskservs of the definition, on all servers or on some. */
export async function ensureTaskservs(
  session: Session,
  { args, flags }: Input<string[], NarrowedFlags & FlagsOf<[typeof SERVERS_OPTION]>>,
): Promise<number> {
  const about = await subject(session, flags);
  const chosen = await selectNamed(session, about, { taskservs: splitList(args), servers: splitList([flags.server ?? '']) });
  return operate(session, flags, { kind: 'taskserv', ...about, intent: { verb: 'ensure', ...chosen } });
}

/**
 * Applies the whole definition.
 *
 * @throws an input error if the argument and --infra name different infras
 */
export async function ensureCluster(session: Session, { args: [infra], flags }: Input<[string?], NarrowedFlags>): Promise<number> {
  if (infra !== undefined && flags.infra !== undefined && infra !== flags.infra) {
    const why = `the argument names the infra "${infra}", and --infra names "${flags.infra}"`;
    throw inputError({ code: 'bad-arguments', what: 'read the command line', why, hint: 'leave out one of them' });
  }
  const about = await subject(session, { ...flags, infra: infra ?? flags.infra });
  return operate(session, flags, { kind: 'cluster', ...about, intent: { verb: 'ensure' } });
}
