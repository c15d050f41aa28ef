import { MANAGED_FILE_HEADER, type Mirror, managedFileHeader, mirrorOf } from '../../sdk/index.js';
import type { AptConfig } from './apt-config.js';

/** The key of Debian's archive, which each Debian host has. */
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** An armored key within a field: each line begins with a space, and an empty one is a dot. */
const within = (key: string): string =>
  key
    .trim()
    .split('\n')
    .map((line) => `\n ${line.trim() || '.'}`)
    .join('');

/** The sources of the distribution, at the mirrors of the definition where these know them. */
export function sourceText(
  { archive, security, components }: AptConfig,
  codename: string,
  mirrors: readonly Mirror[] | undefined,
): string {
  const stanza = (from: string, suites: string[]) => {
    const { url, key } = mirrorOf(from, mirrors);
    return [
      'Types: deb',
      `URIs: ${url}`,
      `Suites: ${suites.join(' ')}`,
      `Components: ${components.join(' ')}`,
      `Signed-By: ${key === undefined ? KEYRING : within(key)}`,
    ].join('\n');
  };
  const stanzas = [stanza(archive, [codename, `${codename}-updates`]), stanza(security, [`${codename}-security`])];
  return `${MANAGED_FILE_HEADER}\n${stanzas.join('\n\n')}\n`;
}

/** Settings of apt; empty where there are none. */
export const confText = ({ proxy }: AptConfig): string =>
  proxy === undefined
    ? ''
    : `${managedFileHeader('//')}
Acquire::http::Proxy "${proxy}";
Acquire::https::Proxy "${proxy}";
`;
