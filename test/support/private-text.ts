import { createSecretKey } from 'node:crypto';
import { createCipher } from '../../encryption/cipher.js';
import { loadKeyring } from '../../encryption/keyring.js';
import { privateText } from '../../stores/files/private-text.js';

const cipher = loadKeyring(async () => [{ id: 'test', secret: createSecretKey(Buffer.alloc(32, 7)), source: 'a test' }]).then(
  createCipher,
);

/** Private texts sealed by a key that every process of the tests has. */
export const testText = privateText(() => cipher);

/** What seals files by the same key. */
export const testSealer = () => cipher;
