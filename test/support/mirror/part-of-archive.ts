import { execa } from 'execa';
import { type SigningKey, signRelease } from './apt-repository.js';
import { sha256Of } from './mirror.js';

/** A suite of Debian's archive. */
interface Suite {
  /** Address of the archive, without a slash at its end. */
  uri: string;
  suite: string;
  /** apt's name, such as `amd64`. */
  architecture: string;
}

/**
 * Reads the lists of suites, and keeps only these packages and the packages that they need. The result is signed by
 * `key`. With all 60,000 packages, each call of apt takes a second of a processor.
 *
 * @param suites suites of one archive: a package of one suite may need a package of another
 * @returns files by their paths below the archive, such as `dists/bookworm/InRelease`
 * @throws Error if an archive does not answer, or has none of these packages
 */
export async function readPartOfArchive(
  suites: readonly Suite[],
  names: readonly string[],
  key: SigningKey,
): Promise<Map<string, Buffer>> {
  const lists = (await Promise.all(suites.map(readList))).map(parsePackages);
  const kept = keepNeeded(lists.flat(), names);
  if (kept.size === 0) throw new Error(`${suites[0]?.uri} has none of ${names.join(', ')}`);
  const files = new Map<string, Buffer>();
  for (const [index, { suite, architecture }] of suites.entries()) {
    const paragraphs = (lists[index] ?? []).filter(({ name }) => kept.has(name));
    const list = Buffer.from(paragraphs.map(({ paragraph }) => `${paragraph}\n\n`).join(''));
    const path = `main/binary-${architecture}/Packages`;
    const release = [
      ...['Origin: Debian', 'Label: Debian', `Suite: ${suite}`, `Codename: ${suite}`],
      `Date: ${new Date(Date.now() - 3_600_000).toUTCString()}`,
      ...[`Architectures: ${architecture}`, 'Components: main', 'SHA256:', ` ${sha256Of(list)} ${list.length} ${path}`, ''],
    ].join('\n');
    files.set(`dists/${suite}/${path}`, list);
    files.set(`dists/${suite}/InRelease`, await signRelease(release, key));
  }
  return files;
}

async function readList({ uri, suite, architecture }: Suite): Promise<string> {
  const url = `${uri}/dists/${suite}/main/binary-${architecture}/Packages.xz`;
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const input = new Uint8Array(await answer.arrayBuffer());
  const { stdout } = await execa('xz', ['--decompress', '--stdout'], { input, maxBuffer: 500_000_000 });
  return stdout;
}

interface Listed {
  name: string;
  /** Unchanged text of the list. */
  paragraph: string;
  needs: string[];
  /** Virtual packages. Others may need it by these names. */
  provides: string[];
}

function parsePackages(list: string): Listed[] {
  return list.split(/\n\n+/).flatMap((text) => {
    const paragraph = text.trim();
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1] ?? '';
    const name = field('Package');
    if (name === '') return [];
    const needs = [...namesIn(field('Pre-Depends')), ...namesIn(field('Depends'))];
    return [{ name, paragraph, needs, provides: namesIn(field('Provides')) }];
  });
}

/** Returns the names in a relation of packages with all alternatives: `a (>= 1), b | c:any`. */
const namesIn = (relation: string): string[] =>
  relation.split(/[,|]/).flatMap((one) => /^\s*([a-z0-9][a-z0-9.+-]*)/.exec(one)?.[1] ?? []);

/** Returns the names of these packages, of all that they need, and of the packages that provide it. */
function keepNeeded(packages: readonly Listed[], names: readonly string[]): Set<string> {
  const needed = new Map<string, Set<string>>();
  for (const { name, needs, provides } of packages) {
    needed.set(name, new Set([...(needed.get(name) ?? []), ...needs]));
    for (const virtual of provides) needed.set(virtual, new Set([...(needed.get(virtual) ?? []), name]));
  }
  const kept = new Set<string>();
  const left = [...names];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (kept.has(name) || !needed.has(name)) continue;
    kept.add(name);
    left.push(...(needed.get(name) ?? []));
  }
  return kept;
}
