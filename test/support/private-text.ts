import { createSecretKey } from 'node:crypto';
import { createCipher } from '../../encryption/cipher.js';
import { loadKeyring } from '../../encryption/keyring.js';
import { privateText } from '../../stores/files/private-text.js';

const cipher = loadKeyring(async () => [{ id: 'test', secret: createSecretKey(Buffer.alloc(32, 7)), source: 'a test' }]).then(
  createCipher,
);

/** Private texts sealed with a key that all test processes share. */
export const testText = privateText(() => cipher);

/** Returns a sealer of files with the same key. */
export const testSealer = () => cipher;
