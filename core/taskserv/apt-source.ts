import { READ_LISTS } from '../host/apt.js';
import { type Fact, type FoundFile, fact, file } from '../host/facts.js';
import { quote, sh } from '../host/shell.js';
import type { Step } from '../host/step.js';
import { checkAptSource } from './apt-source-check.js';
import { MANAGED_FILE_HEADER } from './managed-file-header.js';
import { type Mirror, mirrorOf } from './mirrors.js';
import { ensureFile, ensureNoFile } from './plans.js';

/** A vendor's apt repository, of which a host takes the packages that are named, and nothing else. */
export interface AptSource {
  /** Names its files below `/etc/apt`: lower-case letters, digits and dashes. */
  name: string;
  /** `https://…`, without a slash at its end. */
  uri: string;
  /** `{codename}` in it is that of the host's distribution, such as `bookworm`. */
  suite: string;
  components: readonly string[];
  /** Packages that it may supply. */
  packages: readonly string[];
  /** Armored public key by which its lists are signed; part of the description, never fetched. */
  key: string;
  /** Fingerprint of that key: 40 hexadecimal digits. */
  fingerprint: string;
}

/** Observed apt source of a host. */
export interface FoundAptSource {
  aptKey: FoundFile;
  aptPin: FoundFile;
  aptSource: FoundFile;
  /** Code name of the distribution's release: `bookworm`. */
  codename: string;
}

type AptSourceFacts = { [Name in keyof FoundAptSource]: Fact<FoundAptSource[Name]> };

const placesOf = ({ name }: AptSource) => ({
  key: `/etc/apt/keyrings/${name}.asc`,
  pin: `/etc/apt/preferences.d/${name}`,
  source: `/etc/apt/sources.list.d/${name}.sources`,
});

/** Facts about an apt source. */
export function aptSourceFacts(source: AptSource): AptSourceFacts {
  const { key, pin, source: sources } = placesOf(source);
  return {
    aptKey: file(key),
    aptPin: file(pin),
    aptSource: file(sources),
    codename: fact('. /etc/os-release; printf %s "$VERSION_CODENAME"', ({ stdout }) => stdout.trim(), 'bookworm'),
  };
}

/**
 * Adds a vendor's repository to a host unless it has it: the key, a pin that limits it to its packages, and the
 * source, whose lists are read separately.
 *
 * Before anything is written, the repository is read with that key in a separate folder. A wrong answer, or a
 * signature by another or an expired key, leaves nothing behind.
 *
 * @param version prefix of the versions that may be installed, such as `12.1`
 * @param mirrors mirrors of downloads, with the key if the mirror's owner signs again
 */
export function ensureAptSource(
  source: AptSource,
  found: FoundAptSource,
  version: string,
  mirrors: readonly Mirror[] | undefined,
): Step[] {
  const { key: keyPath, source: sourcePath } = placesOf(source);
  const { url, key } = mirrorOf(source.uri, mirrors);
  const at = { ...source, uri: url, suite: source.suite.replace('{codename}', found.codename) };
  // A key of a mirror is who named it to answer for.
  const signed = key === undefined ? { key: source.key, fingerprint: source.fingerprint } : { key, fingerprint: undefined };
  const [content, aside] = [keyPath, './key.asc'].map((keyring) => sourceText(at, keyring));
  const files = [
    ...ensureFile(found.aptKey, { content: signed.key }),
    ...ensureFile(found.aptPin, { content: pinText(at, version) }),
    ...ensureFile(found.aptSource, { content: content as string }),
  ];
  if (files.length === 0) return [];
  const update = readAlone(sourcePath);
  return [
    {
      title: `Check the repository of ${source.name} at ${at.uri}`,
      run: checkAptSource({ ...at, ...signed }, aside as string),
      stdin: signed.key,
      // Undone last, when the former files are back.
      undo: `if [ -e ${quote(sourcePath)} ]; then\n${update} || true\nfi`,
    },
    ...files,
    { title: `Read the lists of ${source.name}`, run: update, undo: forget(at) },
  ];
}

/** Takes the source away, and what was read from it. Packages that came from it stay. */
export function ensureNoAptSource(source: AptSource, found: FoundAptSource): Step[] {
  const files = [found.aptSource, found.aptPin, found.aptKey].flatMap(ensureNoFile);
  if (files.length === 0) return [];
  const uri = /^URIs: (\S+)$/m.exec(found.aptSource.content)?.[1] ?? source.uri;
  const suite = /^Suites: (\S+)$/m.exec(found.aptSource.content)?.[1] ?? source.suite;
  return [...files, { title: `Forget the lists of ${source.name}`, run: forget({ uri, suite }), undo: ':' }];
}

const sourceText = ({ uri, suite, components }: AptSource, keyring: string): string => `${MANAGED_FILE_HEADER}
Types: deb
URIs: ${uri}
Suites: ${suite}
${suite.endsWith('/') ? '' : `Components: ${components.join(' ')}\n`}Signed-By: ${keyring}
`;

/** The name of a repository's host, by which apt knows where a package is from. */
const hostOf = (uri: string): string => /^[a-z]+:\/\/(\[[^\]]*\]|[^/:]+)/.exec(uri)?.[1]?.replaceAll(/[[\]]/g, '') ?? uri;

const pinText = ({ uri, packages }: AptSource, version: string): string => `${MANAGED_FILE_HEADER}
Package: *
Pin: origin "${hostOf(uri)}"
Pin-Priority: -1

Package: ${packages.join(' ')}
Pin: version /${beginning(version)}/
Pin-Priority: 1001
`;

/** Those that begin so, an epoch left out: `12.1` is not the beginning of `12.10`. */
const beginning = (version: string): string => `^([0-9]+:)?${version.replaceAll('.', '[.]').replaceAll('+', '[+]')}([.~+-]|$)`;

/** Whether a package's version is one of those that a definition asks for by `version`. */
export const isOfVersion = (found: string, version: string): boolean => new RegExp(beginning(version)).test(found);

/** Reads the lists of this source, and of no other. */
const readAlone = (path: string): string =>
  `${READ_LISTS}\n${sh`read_lists -o APT::Update::Error-Mode=any -o APT::Get::List-Cleanup=0 -o ${`Dir::Etc::sourcelist=${path}`} -o Dir::Etc::sourceparts=-`}`;

/** Lists that were read, by the names that apt gives them. */
function forget({ uri, suite }: Pick<AptSource, 'uri' | 'suite'>): string {
  const named = (text: string) => text.replaceAll('_', '%5f').replaceAll('~', '%7e').replaceAll('/', '_');
  const folder = suite.endsWith('/') ? suite.replace(/^\.?\/|\/$/g, '') : `dists/${suite}`;
  const prefix = named(`${uri.replace(/^[a-z]+:\/\//, '')}/${folder}`);
  return `rm -f -- /var/lib/apt/lists/${quote(prefix)}_*`;
}
