import { ProvisioningError } from '../../core/errors.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import { findIdentities } from '../../sops/age/identities.js';
import { openSopsFile, plainOf, readSopsFile } from '../../sops/sops-file.js';
import type { LayerFiles } from './layers.js';

/**
 * Decrypts the file of a layer, only in memory.
 *
 * @returns its text, or the reason why it cannot be decrypted
 */
export async function unsealLayer(
  file: string,
  text: string,
  { env, own }: LayerFiles['keys'],
): Promise<{ text: string } | { message: string; suggestion?: string }> {
  try {
    const opened = await openSopsFile(readSopsFile(file, Buffer.from(text)), await findIdentities(env, own));
    const plain = plainOf(opened);
    if (plain.length > LIMITS.settings)
      return { message: `decrypted it has ${sizeText(plain.length)}, at most ${sizeText(LIMITS.settings)} are read` };
    return { text: plain.toString() };
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    const { why, hint } = error.details;
    return { message: why, ...(hint ? { suggestion: hint } : {}) };
  }
}
