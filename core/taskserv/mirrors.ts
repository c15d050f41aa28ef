/** Mirror of a vendor's downloads. */
export interface Mirror {
  /** Prefix of the vendor's URLs: `https://github.com/`. */
  from: string;
  /** Prefix of the mirror's URLs. */
  to: string;
  /** Armored public key of whoever signs an apt repository again; without it, it is signed by its vendor. */
  key?: string;
}

/** Returns the URL at the mirror with the longest matching prefix, or the vendor's own. */
export function mirrorOf(url: string, mirrors: readonly Mirror[] = []): { url: string; key?: string } {
  const [nearest] = mirrors.filter(({ from }) => begins(url, from)).sort((a, b) => b.from.length - a.from.length);
  if (!nearest) return { url };
  const { from, to, key } = nearest;
  const rest = url.slice(withoutSlash(from).length);
  return { url: `${withoutSlash(to)}${rest}`, ...(key !== undefined && { key }) };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** Whole parts of a path: `https://a.example/deb` is not at the mirror of `https://a.example/de`. */
const begins = (url: string, from: string): boolean => url === withoutSlash(from) || url.startsWith(`${withoutSlash(from)}/`);
