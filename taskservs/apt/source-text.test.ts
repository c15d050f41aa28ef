import { expect, test } from 'vitest';
import { aptConfig } from './apt-config.js';
import { sourceText } from './source-text.js';

const KEY = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEZ\n-----END PGP PUBLIC KEY BLOCK-----\n';

test('the mirrors of a definition are for the archive, and a key of theirs takes the place of that of Debian', () => {
  const mirrors = [
    { from: 'http://deb.debian.org', to: 'http://mirror.example.org/' },
    { from: 'http://deb.debian.org/debian-security', to: 'https://signed.example.org/security', key: KEY },
  ];
  const [archive, security] = sourceText(aptConfig.parse({}), 'trixie', mirrors).split('\n\n');
  expect(archive).toContain('URIs: http://mirror.example.org/debian\nSuites: trixie trixie-updates\n');
  expect(archive).toContain('Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg');
  expect(security).toContain('URIs: https://signed.example.org/security\nSuites: trixie-security\n');
  expect(security).toContain(
    'Signed-By: \n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mDMEZ\n -----END PGP PUBLIC KEY BLOCK-----\n',
  );
});

test.each(['http://user:secret@mirror.example.org', 'ftp://mirror.example.org', 'http://mirror.example.org/"; Dir::Bin "/x'])(
  '%s is refused',
  (archive) => expect(aptConfig.safeParse({ archive }).success).toBe(false),
);
