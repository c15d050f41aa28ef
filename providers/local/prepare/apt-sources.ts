/** Entry of apt's sources, in either of its two formats. */
export interface AptSource {
  uris: string[];
  suites: string[];
  components: string[];
  /** Path of a keyring, or the key itself. */
  signedBy?: string;
  /** `trusted=yes`: not verified. */
  trusted?: boolean;
}

/**
 * Parses the enabled binary sources in a file of /etc/apt (sources.list(5)).
 *
 * @param name the file's name: `*.sources` is deb822, all others have one entry per line
 */
export function parseAptSources(name: string, text: string): AptSource[] {
  return name.endsWith('.sources') ? parseStanzas(text) : parseLines(text);
}

function parseStanzas(text: string): AptSource[] {
  const uncommented = text.replace(/^#.*\n?/gm, '');
  return uncommented.split(/\n\s*\n/).flatMap((stanza) => {
    const fields = new Map<string, string>();
    for (const [, key, value] of stanza.matchAll(/^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)/gm)) {
      fields.set((key ?? '').toLowerCase(), value ?? '');
    }
    const words = (key: string) => (fields.get(key) ?? '').split(/\s+/).filter(Boolean);
    if (!words('types').includes('deb') || words('enabled')[0] === 'no') return [];
    return [
      {
        uris: words('uris'),
        suites: words('suites'),
        components: words('components'),
        signedBy: fields.get('signed-by')?.trim(),
        trusted: words('trusted')[0] === 'yes',
      },
    ];
  });
}

function parseLines(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    if (!match) return [];
    const options = new Map((match[1] ?? '').split(/\s+/).map((option) => option.split('=', 2) as [string, string]));
    return [
      {
        uris: [match[2] ?? ''],
        suites: [match[3] ?? ''],
        components: (match[4] ?? '').split(/\s+/).filter(Boolean),
        signedBy: options.get('signed-by'),
        trusted: options.get('trusted') === 'yes',
      },
    ];
  });
}

/** Returns the sources of a Debian archive, without third parties that use the same suite names. */
export function debianArchives(sources: readonly AptSource[]): AptSource[] {
  return sources.filter(
    ({ uris, signedBy }) =>
      (signedBy?.includes('debian-archive') ?? false) || uris.some((uri) => /\/debian(-security)?\/?$/.test(uri)),
  );
}

/**
 * Returns sources for a Debian release with the mirrors of this machine, which may run another release. Only the
 * release itself, its updates and its security updates.
 */
export function sourcesOf(release: string, sources: readonly AptSource[]): AptSource[] {
  const suite = /^[a-z]+((?:-updates|-security|\/updates)?)$/;
  return debianArchives(sources).flatMap((source) => {
    const suites = [...new Set(source.suites.flatMap((name) => suite.exec(name)?.[1] ?? []).map((suffix) => release + suffix))];
    return suites.length > 0 ? [{ ...source, suites }] : [];
  });
}

/** Formats sources as deb822. */
export function formatSources(sources: readonly AptSource[]): string {
  return sources
    .map(({ uris, suites, components, signedBy, trusted }) =>
      [
        'Types: deb',
        `URIs: ${uris.join(' ')}`,
        `Suites: ${suites.join(' ')}`,
        `Components: ${components.join(' ')}`,
        ...(signedBy ? [`Signed-By: ${signedBy}`] : []),
        ...(trusted ? ['Trusted: yes'] : []),
        '',
      ].join('\n'),
    )
    .join('\n');
}
