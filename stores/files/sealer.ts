import type { Cipher } from '../../encryption/cipher.js';
import { type EncryptionPlaces, openEncryption } from '../../encryption/open-encryption.js';

/** What seals a home's files, as its keys are when it is asked for. */
export type Sealer = () => Promise<Pick<Cipher, 'seal' | 'open'>>;

/** The cipher of a set-up, opened at the first use: most commands need neither keys nor the service that keeps them. */
export function sealerOf(home: EncryptionPlaces, env: NodeJS.ProcessEnv): Sealer {
  let opening: ReturnType<Sealer> | undefined;
  return () => {
    opening ??= openEncryption(home, env).then(
      ({ cipher }) => cipher,
      (error) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
}
