import * as z from 'zod';
import {
  debian,
  debianVersions,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  type Facts,
  type FoundFacts,
  type FoundFile,
  type FoundPackage,
  file,
  MANAGED_FILE_HEADER,
  type Step,
  upstreamVersion,
} from '../../sdk/index.js';

const config = z
  .strictObject({
    pip: z.boolean().default(false).describe('Whether to install pip; virtual environments always have their own'),
    index: z
      .url({ protocol: /^https?$/, error: 'an index must be an http:// or https:// URL' })
      .regex(/^[A-Za-z0-9.:/_~[\]-]+$/, { error: 'write a URL without account, query and fragment' })
      .optional()
      .describe('pip index for all users; default: PyPI'),
  })
  .meta({ examples: [{ pip: true, index: 'https://pypi.example.org/simple' }] });

type Config = z.output<typeof config>;

const VERSIONS = debianVersions({ 12: '3.11', 13: '3.13' }, { package: 'python{version}-venv' });

/** Half of Debian would go with python3, so that its removal takes this away and leaves the rest. */
const packageOf = (version: string): string => `python${version}-venv`;

/** Not /etc/pip.conf, which may belong to the host's administrator. */
const PIP_CONF = '/etc/xdg/pip/pip.conf';

/** Removes the file only if the platform wrote it. Another file stays, and is not reported. */
const withoutOurs = (found: FoundFile): Step[] => (found.content.startsWith(MANAGED_FILE_HEADER) ? ensureNoFile(found) : []);

interface PythonFacts extends Facts {
  /** Package of the expected version. Each other version has its own fact. */
  package: ReturnType<typeof debian>;
  python3: ReturnType<typeof debian>;
  pip: ReturnType<typeof debian>;
  pipConf: ReturnType<typeof file>;
}

const venvOf = (found: FoundFacts<PythonFacts>, version: string): FoundPackage => found[packageOf(version)] ?? found.package;

/** The installed version, preferably the expected one. Another one next to it was not installed by the platform. */
const venvIn = (found: FoundFacts<PythonFacts>): FoundPackage =>
  [found.package, ...VERSIONS.supported.map((version) => venvOf(found, version))].find(({ version }) => version !== undefined) ??
  found.package;

/** Python with virtual environments. By hand, since its package is named by its version. */
export const python = defineTaskserv<Config, PythonFacts>({
  name: 'python',
  category: 'languages',
  holds: [],
  description: 'Runs programs in Python, with virtual environments for their packages.',
  versions: VERSIONS,
  supports: { os: ['debian'] },
  config,
  uses: () => [],
  // The host's version is certain only when its release is known. A removal names no version.
  facts: (_, version = VERSIONS.default) => ({
    package: debian(packageOf(version)),
    python3: debian('python3'),
    pip: debian('python3-pip'),
    pipConf: file(PIP_CONF),
    ...Object.fromEntries(
      VERSIONS.supported.filter((other) => other !== version).map((other) => [packageOf(other), debian(packageOf(other))]),
    ),
  }),
  installed: (found) => upstreamVersion(venvIn(found).version),

  plan: ({ pip, index }, found, { version }) => [
    ...ensurePackage(venvOf(found, version)),
    ...ensurePackage(found.python3),
    ...(index === undefined
      ? withoutOurs(found.pipConf)
      : ensureFile(found.pipConf, {
          content: `${MANAGED_FILE_HEADER}\n[global]\nindex-url = ${index}\n`,
        })),
    ...(pip ? ensurePackage(found.pip) : []),
  ],

  health: ({ pip }) => [
    {
      title: 'python runs a program',
      command: 'python3 -c \'import venv, ensurepip; print("answer", 6 * 7)\'',
      expect: 'answer 42',
    },
    ...(pip ? [{ title: 'pip starts', command: 'python3 -m pip --version', expect: 'pip ' }] : []),
  ],

  remove: (_, found) => [...ensureNoPackage(venvIn(found)), ...withoutOurs(found.pipConf)],
});
