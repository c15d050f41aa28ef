import type { Cipher } from '../../encryption/cipher.js';
import { openCipher } from '../../encryption/open-cipher.js';
import type { Home } from '../../home/home.js';

/** Returns the cipher for a home's files, with its present keys. */
export type Sealer = () => Promise<Pick<Cipher, 'seal' | 'open'>>;

/**
 * Creates the cipher of an installation. It is opened at the first use: most commands need neither the keys nor the
 * key service.
 */
export function createSealer(home: Pick<Home, 'encryption'>, env: NodeJS.ProcessEnv): Sealer {
  let opening: ReturnType<Sealer> | undefined;
  return () => {
    opening ??= openCipher(home.encryption, env).then(
      ({ cipher }) => cipher,
      (error) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
}
