import { describe, expect, it } from 'vitest';
import { debianArchives, formatSources, parseAptSources, sourcesOf } from './apt-sources.js';

const DEB822 = `# a comment
Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main contrib

Types: deb
Enabled: no
URIs: http://mirror.example/other
Suites: bookworm
Components: main
`;

const LINES = `# deb http://old.example/debian bookworm main
deb [arch=amd64 signed-by=/etc/apt/keyrings/x.gpg] https://mirror.example/debian/ bullseye main contrib # why
deb-src http://mirror.example/debian bullseye main
deb [trusted=yes] https://vendor.example/apt bookworm main
`;

describe('apt sources', () => {
  it('are read from stanzas, without sources of packages and disabled ones', () => {
    expect(parseAptSources('debian.sources', DEB822)).toEqual([
      {
        uris: ['http://mirror.example/debian'],
        suites: ['bookworm', 'bookworm-updates'],
        components: ['main'],
        signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
        trusted: false,
      },
      {
        uris: ['http://mirror.example/debian-security'],
        suites: ['bookworm-security'],
        components: ['main', 'contrib'],
        signedBy: undefined,
        trusted: false,
      },
    ]);
  });

  it('are read from lines with their options', () => {
    const [first, second] = parseAptSources('sources.list', LINES);
    expect(first).toMatchObject({ uris: ['https://mirror.example/debian/'], components: ['main', 'contrib'], trusted: false });
    expect(first?.signedBy).toBe('/etc/apt/keyrings/x.gpg');
    expect(second).toMatchObject({ uris: ['https://vendor.example/apt'], trusted: true });
  });

  it('of third parties that use the names of Debian are left out', () => {
    expect(debianArchives(parseAptSources('sources.list', LINES))).toHaveLength(1);
  });

  it('serve another release than the machine runs', () => {
    const suites = (text: string, name: string) =>
      sourcesOf('trixie', parseAptSources(name, text)).flatMap((source) => source.suites);
    expect(suites(DEB822, 'debian.sources')).toEqual(['trixie', 'trixie-updates', 'trixie-security']);
    expect(suites(LINES, 'sources.list')).toEqual(['trixie']);
  });

  it('that are written are read back the same', () => {
    const sources = parseAptSources('debian.sources', DEB822);
    expect(parseAptSources('debian.sources', formatSources(sources))).toEqual(sources);
  });
});
