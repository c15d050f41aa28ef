/** A file, a folder or a link of an archive, by its path in it. */
export interface ArchiveEntry {
  path: string;
  /** Target of a symbolic link, as it is written. Undefined for other entries. */
  target?: string;
}

/** Why an archive is not unpacked, and the entry that is to blame. */
export interface ArchiveFault {
  path: string;
  why: string;
}

/** Links that Linux follows on one way; more is a circle. */
const MOST_LINKS = 40;

/**
 * The first entry of an archive that would be written, or would lead, outside of the folder that the archive is unpacked
 * into; undefined if all stay inside. A link is followed through the other links of the archive, as the kernel would do.
 *
 * @param entries in any order
 */
export function archiveFault(entries: readonly ArchiveEntry[]): ArchiveFault | undefined {
  const links = new Map<string, string>();
  const seen = new Set<string>();
  for (const { path, target } of entries) {
    const why = seen.has(path) ? 'the archive contains it twice' : nameFault(path);
    if (why !== undefined) return { path, why };
    seen.add(path);
    if (target !== undefined) links.set(path, target);
  }
  if (links.size === 0) return undefined;
  for (const { path, target } of entries) {
    const over = parentsOf(path).find((parent) => links.has(parent));
    if (over !== undefined) return { path, why: `its path goes through the link ${over}` };
    const why = target === undefined ? undefined : linkFault(path, links);
    if (why !== undefined) return { path, why };
  }
  return undefined;
}

/** Why a path is no path below a folder. */
function nameFault(path: string): string | undefined {
  if (path === '' || path.startsWith('/') || path.includes('\0')) return 'it is no path below a folder';
  return path.split('/').some((part) => part === '' || part === '.' || part === '..') ? 'it is no path below a folder' : undefined;
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at));
  return parents;
}

/** Follows a link part by part, because a text does not show the end of a link that leads over another link. */
function linkFault(path: string, links: ReadonlyMap<string, string>): string | undefined {
  const here: string[] = [];
  const rest = path.split('/').reverse();
  const out = `it is a link that leads out of it, to ${links.get(path)}`;
  let followed = 0;
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (here.pop() === undefined) return out;
      continue;
    }
    here.push(part);
    const target = links.get(here.join('/'));
    if (target === undefined) continue;
    followed += 1;
    if (followed > MOST_LINKS) return `it is a link that leads in a circle, to ${links.get(path)}`;
    if (target === '' || target.startsWith('/') || target.includes('\0')) return out;
    here.pop();
    rest.push(...target.split('/').reverse());
  }
  return undefined;
}
