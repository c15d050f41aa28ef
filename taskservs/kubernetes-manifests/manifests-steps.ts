import {
  encodeSecret,
  FORMER_FILE,
  isSecretRef,
  quote,
  type SecretRef,
  type Step,
  secretAs,
  sha256,
  type Text,
} from '../../sdk/index.js';
import { isManifest, type ManifestEntry, type ManifestsConfig } from './manifests-config.js';
import { PROGRAM } from './program/index.js';

/** Folder of the files that a unit fetches. */
export const locateFolder = (unit: string): string => `/var/lib/provisioning-manifests/${unit}`;

/** A file that the host fetches, by the name of its entry. */
export interface FetchedManifest {
  name: string;
  url: string;
  sha256: string;
  to: string;
}

export const listFetched = (unit: string, { manifests }: ManifestsConfig): FetchedManifest[] =>
  Object.entries(manifests).flatMap(([name, { url, sha256 }]) =>
    url === undefined || sha256 === undefined ? [] : [{ name, url, sha256, to: `${locateFolder(unit)}/${sha256}` }],
  );

/** Name of a fetched file in its folder. */
export const FETCHED_AS = 'manifests.yaml';

/** Texts of an entry, by names for people. */
function textsOf(name: string, { content, tree, values }: ManifestEntry): [string, Text][] {
  if (content) return [[name, filled(content.text ?? '', values)]];
  return Object.entries(tree ?? {})
    .filter(([path]) => isManifest(path))
    .map(([path, { text = '' }]) => [`${name}/${path}`, filled(text, values)]);
}

/** Each value becomes a quoted string of YAML. */
function filled(text: string, values: ManifestEntry['values']): Text {
  const names = Object.keys(values);
  if (names.length === 0) return text;
  // With the names in parentheses the parts at odd places are names.
  const parts = text.split(new RegExp(`@(${names.join('|')})@`));
  return parts.map((part, index): string | SecretRef => {
    const value = index % 2 === 0 ? undefined : values[part];
    if (value === undefined) return part;
    return isSecretRef(value) ? secretAs('yaml', value) : encodeSecret('yaml', value);
  });
}

/** Line that begins each text of standard input. No text of the definition has it, because it is a hash of all. */
const markOf = (texts: readonly [string, Text][]): string => `--- ${sha256(JSON.stringify(texts))}`;

/** What the program reads: the texts as standard input, and the rest as a variable. */
export function inputFor(unit: string, config: ManifestsConfig, urlOf: (url: string) => string): { spec: string; stdin: Text } {
  const texts = Object.entries(config.manifests).flatMap(([name, entry]) => textsOf(name, entry));
  const mark = markOf(texts);
  const { namespace, wait, conflicts, kubeconfig } = config;
  const fetched = listFetched(unit, config).map(({ to, url, ...rest }) => ({
    ...rest,
    url: urlOf(url),
    path: `${to}/${FETCHED_AS}`,
  }));
  const parts = texts.flatMap(([name, text]) => [`${mark} ${name}\n`, ...(typeof text === 'string' ? [text] : text), '\n']);
  const isPlain = parts.every((part) => typeof part === 'string');
  return {
    spec: JSON.stringify({ unit, namespace, wait, conflicts, kubeconfig, mark, fetched }),
    stdin: isPlain ? parts.join('') : parts.filter((part) => part !== ''),
  };
}

/** Exit code of a look at a host that has no cluster. */
const NO_CLUSTER = 'if ! command -v python3 || ! command -v kubectl; then exit 3; fi >/dev/null';

/** Bash that asks how the objects are. The variable is not for programs: they take 128 KiB at most. */
export const lookScript = (mode: 'look' | 'presence'): string => `${NO_CLUSTER}
export -n SOURCES
printf %s "$SOURCES" | python3 -c ${quote(PROGRAM)} ${mode}`;

/** Bash of the check that all objects work. */
export const healthScript = (spec: string): string => `export SPEC=${quote(spec)}
python3 -c ${quote(PROGRAM)} health 2>&1`;

/** Path of the program that changes the cluster. It is written only together with a change. */
export const locateProgram = (unit: string): string => `${locateFolder(unit)}/manifests.py`;

/** The program as a file. */
export const PROGRAM_FILE = { content: PROGRAM.trimStart(), mode: '0700' };

/** The step that changes the cluster. It keeps the former objects for its undo. */
export function changeStep(
  mode: 'apply' | 'remove',
  title: string,
  unit: string,
  { spec, stdin }: { spec: string; stdin: Text },
): Step {
  return {
    title,
    run: `python3 ${locateProgram(unit)} ${mode} ${FORMER_FILE} 2>&1`,
    undo: `former=${FORMER_FILE}
if [ -e "\${former%.file}.sealed" ] && [ ! -e "$former" ]; then echo 'the former objects are sealed'; exit 1; fi
[ -e "$former" ] || exit 0
python3 ${locateProgram(unit)} undo "$former" 2>&1`,
    env: { SPEC: spec },
    ...(mode === 'apply' && { stdin }),
  };
}
