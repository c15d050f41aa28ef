import { reveal, type SecretRef, type Text } from '../index.js';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleExam';

/** Returns the fake value of a secret: `secret-of-NAME`, unless its format accepts only other or shorter values. */
export function fakeSecret({ $secret, as }: SecretRef): string {
  // VRRP has room for 8 bytes.
  if (as === 'keepalived') return 'secretof';
  if (as === 'base64') return `secretof${$secret.replaceAll(/[^A-Za-z0-9]/g, '')}`;
  return as === 'ssh-public-key' ? `${KEY} ${$secret}` : `secret-of-${$secret}`;
}

/** Returns a text with the fake values of its secrets. */
export const revealFake = (text: Text): string =>
  [text]
    .flat()
    .map((part) => (typeof part === 'string' ? part : reveal([part], () => fakeSecret(part))))
    .join('');
