/** Where something is fetched that its vendor has elsewhere. */
export interface Mirror {
  /** What URLs begin with at the vendor: `https://github.com/`. */
  from: string;
  /** What they begin with here. */
  to: string;
  /** Armored public key of whoever signs an apt repository again; without it, it is signed by its vendor. */
  key?: string;
}

/** Where a URL of a vendor's is fetched: at the mirror that knows most of it, or at the vendor. */
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
