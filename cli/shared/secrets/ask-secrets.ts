import type { Client } from '../../../client/client.js';
import type { OptionSpec } from '../../command.js';
import type { Session } from '../../program/session.js';
import { askPlatform } from '../platform/ask-platform.js';

export type SecretMethods = Client['secrets'];

/** For commands that read values: the exception `offline` of `WITHOUT_WORKER`. */
export const OFFLINE = {
  flags: '--offline',
  about: 'open the store in this process instead of asking the worker, for an emergency in which no worker can start',
} as const satisfies OptionSpec;

/** Calls methods of secrets. @param offline asks no worker @throws as `askPlatform` */
export const askSecrets = <T>(
  session: Session,
  ask: (secrets: SecretMethods) => Promise<T>,
  { offline = false }: { offline?: boolean | undefined } = {},
): Promise<T> =>
  askPlatform(session, 'secrets', ask, offline ? { because: 'offline', why: 'no worker was asked (--offline)' } : undefined);
