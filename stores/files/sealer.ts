import type { Cipher } from '../../encryption/cipher.js';
import { openCipher } from '../../encryption/open-cipher.js';
import type { Home } from '../../home/home.js';

/** What seals a home's files, as its keys are when it is asked for. */
export type Sealer = () => Promise<Pick<Cipher, 'seal' | 'open'>>;

/** The cipher of a set-up, opened at the first use: most commands need neither keys nor the service that keeps them. */
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
