import {
  debian,
  debianVersions,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  fact,
  file,
  READ_LISTS,
  type Step,
  sh,
  upstreamVersion,
} from '../../sdk/index.js';
import { type AptConfig, aptConfig } from './apt-config.js';
import { checkSources } from './check-sources.js';
import { confText, sourceText } from './source-text.js';

const CONF = '/etc/apt/apt.conf.d/99provisioning';
const SOURCES = '/etc/apt/sources.list.d/provisioning.sources';
/** apt passes over files of this ending without a word. */
const ASIDE = '.provisioning.disabled';
/** Other sources of the host may be out of reach: that is not about these. */
const UPDATE = `${READ_LISTS}\nread_lists`;

/** Reads the lists of former sources where they can be reached; a step that installs a package reads them again. */
const UPDATE_IF_REACHED =
  'timeout 30 apt-get -q -o DPkg::Lock::Timeout=60 -o Acquire::Retries=0 -o Acquire::http::Timeout=10 update || true';

const formerOf = ({ inPlaceOf }: AptConfig): string[] => [
  '/etc/apt/sources.list',
  ...inPlaceOf.map((name) => `/etc/apt/sources.list.d/${name}`),
];

/** Which of these files are there, and which were set aside. */
const formerFact = (config: AptConfig) =>
  fact<{ there: string[]; aside: string[] }>(
    `${sh`set -- ${formerOf(config)}`}
for path; do if [ -s "$path" ]; then echo "there $path"; fi; done
ls /etc/apt/*${ASIDE} /etc/apt/sources.list.d/*${ASIDE} 2>/dev/null | sed 's/^/aside /'`,
    ({ stdout }) => {
      const named = (word: string) =>
        stdout.split('\n').flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
      return { there: named('there'), aside: named('aside') };
    },
    { there: [], aside: [] },
  );

const setAside = (path: string): Step => ({
  title: `Set ${path} aside`,
  run: sh`mv -f -- ${path} ${path + ASIDE}`,
  undo: sh`if [ -e ${path + ASIDE} ]; then mv -f -- ${path + ASIDE} ${path}; fi`,
});

const putBack = (aside: string): Step => {
  const path = aside.slice(0, -ASIDE.length);
  return { title: `Put ${path} back`, run: sh`mv -f -- ${aside} ${path}`, undo: sh`mv -f -- ${path} ${aside}` };
};

/** Package sources of a host: the archive of the distribution, a mirror or a proxy. */
export const apt = defineTaskserv({
  name: 'apt',
  category: 'system',
  holds: [],
  description: 'Package sources of a host: the archive of its distribution, a mirror, a proxy.',
  versions: debianVersions({ 12: '2.6', 13: '3.0' }, { package: 'apt' }),
  supports: { os: ['debian'] },
  first: true,
  fetches: true,
  config: aptConfig,
  uses: () => [],
  facts: (config) => ({
    package: debian('apt'),
    codename: fact('. /etc/os-release; printf %s "$VERSION_CODENAME"', ({ stdout }) => stdout.trim(), 'bookworm'),
    conf: file(CONF),
    sources: file(SOURCES),
    former: formerFact(config),
  }),
  installed: (found) => (found.sources.exists ? upstreamVersion(found.package.version) : undefined),

  plan(config, { codename, conf, sources, former }, { mirrors }) {
    const text = { sources: sourceText(config, codename, mirrors), conf: confText(config) };
    const files = [
      ...(text.conf === '' ? ensureNoFile(conf) : ensureFile(conf, { content: text.conf })),
      ...ensureFile(sources, { content: text.sources }),
    ];
    const changes = [...files, ...former.there.map(setAside)];
    if (changes.length === 0) return [];
    return [
      // Undone last, when the former files are back: apt knows again what they say, where they can be reached.
      { title: 'Check that packages can be fetched', run: checkSources(text), undo: UPDATE_IF_REACHED },
      ...changes,
      { title: 'Read the lists of packages', run: UPDATE, undo: ':' },
    ];
  },

  health: () => [
    {
      title: 'the archive answers',
      command: `read -r _ uri < <(grep -m 1 '^URIs: ' ${SOURCES}); read -r _ suite _ < <(grep -m 1 '^Suites: ' ${SOURCES})
aside=$(mktemp -d); trap 'rm -rf -- "$aside"' EXIT; chmod 755 "$aside"
/usr/lib/apt/apt-helper -q download-file "$uri/dists/$suite/InRelease" "$aside/InRelease" >&2
grep "^Codename: $suite$" "$aside/InRelease"`,
      expect: 'Codename',
    },
  ],

  remove(_, { conf, sources, former }) {
    const gone = [...ensureNoFile(sources), ...ensureNoFile(conf), ...former.aside.map(putBack)];
    if (gone.length === 0) return [];
    return [...gone, { title: 'Read the lists of packages', run: UPDATE_IF_REACHED, undo: ':' }];
  },
});
