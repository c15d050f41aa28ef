/** File that a Release of an apt repository lists. */
export interface ReleaseEntry {
  path: string;
  /** SHA-256, lower case. */
  sha256: string;
  /** Bytes. */
  size: number;
}

/** Content of an apt repository's Release. */
export interface AptRelease {
  entries: ReadonlyMap<string, ReleaseEntry>;
  /** Expiry, ISO time. */
  validUntil?: string;
}

/** Reads a Release; undefined for any other text, such as an HTML page. */
export function aptRelease(text: string): AptRelease | undefined {
  const entries = new Map<string, ReleaseEntry>();
  let listing = false;
  let until: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (!line.startsWith(' ')) {
      listing = /^SHA256:\s*$/.test(line);
      until = /^Valid-Until:\s*(.{1,60})$/.exec(line)?.[1] ?? until;
      continue;
    }
    const [, sha256, size, path] = (listing && /^ ([0-9a-f]{64}) +(\d{1,12}) +(\S+)\s*$/.exec(line)) || [];
    if (sha256 !== undefined && path !== undefined) entries.set(path, { path, sha256, size: Number(size) });
  }
  if (entries.size === 0) return undefined;
  const time = until === undefined ? Number.NaN : Date.parse(until);
  return { entries, ...(!Number.isNaN(time) && { validUntil: new Date(time).toISOString() }) };
}

/** Returns the text of a signed message without verifying the signature. */
export function extractSignedText(message: string): string {
  const [, inside] = /^-----BEGIN PGP SIGNED MESSAGE-----\n(?:[^\n]+\n)*\n(.*)\n-----BEGIN PGP SIGNATURE-----/s.exec(message) ?? [];
  return (inside ?? message).replaceAll(/^- /gm, '');
}

const ENDINGS = ['.gz', '.xz', ''] as const;

/**
 * Returns the package list of a component, in its smallest form. A flat repository has no components.
 *
 * @param component such as `main`; undefined for a flat repository
 */
export function listOfPackages({ entries }: AptRelease, component?: string): ReleaseEntry | undefined {
  const base = component === undefined ? 'Packages' : `${component}/binary-amd64/Packages`;
  const [found] = ENDINGS.flatMap((ending) => entries.get(`${base}${ending}`) ?? entries.get(`./${base}${ending}`) ?? []);
  return found;
}
