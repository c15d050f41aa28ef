import { createCleartextMessage, generateKey, type PrivateKey, readPrivateKey, sign } from 'openpgp';
import { controlOf, type DebPackage, debOf } from './deb.js';
import { sha256Of } from './mirror.js';

/** Key that signs a repository, with its fingerprint. */
export interface SigningKey {
  private: PrivateKey;
  /** Public key in armored form. */
  public: string;
  /** 40 hexadecimal digits in upper case. */
  fingerprint: string;
}

/** Creates a key. `expired`: it was valid for one day, long ago. */
export async function makeSigningKey({ expired = false } = {}): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKey({
    type: 'rsa',
    rsaBits: 2048,
    userIDs: [{ name: 'Stand-in', email: 'stand-in@example.org' }],
    date: new Date(expired ? '2020-01-01' : '2024-01-01'),
    ...(expired && { keyExpirationTime: 86_400 }),
    format: 'armored',
  });
  const key = await readPrivateKey({ armoredKey: privateKey });
  return { private: key, public: publicKey.replaceAll('\r\n', '\n'), fingerprint: key.getFingerprint().toUpperCase() };
}

/** Returns a signed apt repository of these packages: its files by path. */
export async function aptRepository(
  { suite, component }: { suite: string; component: string },
  packages: readonly DebPackage[],
  key: SigningKey,
): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const paragraphs: string[] = [];
  for (const deb of packages) {
    const content = await debOf(deb);
    const path = `pool/${deb.name}_${deb.version.replace(/^\d+:/, '')}_all.deb`;
    files.set(`/${path}`, content);
    const [first, ...others] = controlOf(deb).split('\nDescription');
    const about = `Filename: ${path}\nSize: ${content.length}\nSHA256: ${sha256Of(content)}`;
    paragraphs.push(`${first}\n${about}\nDescription${others.join('')}\n`);
  }
  const list = Buffer.from(paragraphs.join('\n'));
  const architectures = ['amd64', 'arm64'];
  const lists = architectures.map((arch) => `${component}/binary-${arch}/Packages`);
  for (const path of lists) files.set(`/dists/${suite}/${path}`, list);
  const release = [
    'Origin: Stand-in',
    'Label: Stand-in',
    `Suite: ${suite}`,
    `Codename: ${suite}`,
    `Date: ${new Date(Date.now() - 3_600_000).toUTCString()}`,
    `Architectures: ${architectures.join(' ')}`,
    `Components: ${component}`,
    'SHA256:',
    ...lists.map((path) => ` ${sha256Of(list)} ${list.length} ${path}`),
    '',
  ].join('\n');
  files.set(`/dists/${suite}/InRelease`, await signRelease(release, key));
  return files;
}

/** Signs a `Release`. Returns the `InRelease` that a repository serves. */
export async function signRelease(release: string, key: SigningKey): Promise<Buffer> {
  const message = await createCleartextMessage({ text: release });
  const date = new Date(
    key.private.users.length > 0 && (await key.private.getExpirationTime()) !== Infinity
      ? '2020-01-01T12:00:00Z'
      : Date.now() - 3_600_000,
  );
  const signed = await sign({ message, signingKeys: key.private, date });
  // Debian's own has no carriage returns.
  return Buffer.from(signed.replaceAll('\r\n', '\n'));
}
