import { type Asker, askPlatform } from './ask-platform.js';
import type { Client } from './client.js';

export type SecretMethods = Client['secrets'];

/** Calls methods of secrets. @param offline calls no worker @throws as `askPlatform` */
export const askSecrets = <T>(
  asker: Asker,
  ask: (secrets: SecretMethods) => Promise<T>,
  { offline = false }: { offline?: boolean | undefined } = {},
): Promise<T> =>
  askPlatform(asker, 'secrets', ask, offline ? { because: 'offline', why: 'no worker was asked (--offline)' } : undefined);
