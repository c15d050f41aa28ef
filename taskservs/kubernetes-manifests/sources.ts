import { encodeSecret, isSecretRef, type SecretRef, secretAs, sha256, type Text } from '../../sdk/index.js';
import { isManifest, type ManifestEntry, type ManifestsConfig } from './manifests-config.js';

/** Folder of the files that a unit fetches. */
export const locateFolder = (unit: string): string => `/var/lib/provisioning-manifests/${unit}`;

/** A file that the host fetches: a manifest or a chart, by the name of its entry, or the program helm. */
export interface FetchedFile {
  name: string;
  url: string;
  sha256: string;
  /** Its folder on the host. */
  to: string;
  unpack?: 'tar';
  strip?: number;
  /** Its name in the folder. Absent for an archive that is unpacked. */
  as?: string;
  /** Name of the release of a chart. */
  release?: string;
}

const isArchive = (url: string): boolean => /\.(tar|tgz|tar\.[a-z0-9]+)(\?.*)?$/.test(url);

/** Files of all entries, then helm if a chart needs it. */
export function listFetched(unit: string, { manifests, helm }: ManifestsConfig): FetchedFile[] {
  const files = Object.entries(manifests).flatMap(([name, { url, sha256, chart }]): FetchedFile[] => {
    const to = (hash: string) => `${locateFolder(unit)}/${hash}`;
    if (chart) {
      const { release = name, ...source } = chart;
      return [{ name, ...source, to: to(source.sha256), as: 'chart.tgz', release }];
    }
    return url === undefined || sha256 === undefined ? [] : [{ name, url, sha256, to: to(sha256), as: 'manifests.yaml' }];
  });
  return helm && files.some(({ release }) => release !== undefined) ? [...files, helmIn(unit, helm)] : files;
}

const HELM = 'the program helm';

/** The vendor's archives have one folder around the program. */
const helmIn = (unit: string, { url, sha256 }: NonNullable<ManifestsConfig['helm']>): FetchedFile => ({
  ...{ name: HELM, url, sha256, to: `${locateFolder(unit)}/${sha256}` },
  ...(isArchive(url) ? { unpack: 'tar', strip: 1 } : { as: 'helm' }),
});

/** Texts of an entry, by names for people. The values of a chart are called after it. */
function textsOf(name: string, { content, tree, chart, chartValues, values }: ManifestEntry): [string, Text][] {
  if (chart) return [[`values of ${name}`, filled(chartValues?.text ?? '{}', values)]];
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

/** Input of the host's program: the texts as standard input, and the rest as a variable. */
export interface ProgramInput {
  spec: string;
  stdin: Text;
}

/** @param urlOf the mirror's URL of a vendor's */
export function inputFor(unit: string, config: ManifestsConfig, urlOf: (url: string) => string): ProgramInput {
  const texts = Object.entries(config.manifests).flatMap(([name, entry]) => textsOf(name, entry));
  const mark = markOf(texts);
  const { namespace, wait, conflicts, kubeconfig } = config;
  const files = listFetched(unit, config).map(({ to, url, as = 'helm', name, sha256, release }) => ({
    ...{ name, sha256, url: urlOf(url), path: `${to}/${as}` },
    ...(release !== undefined && { release }),
  }));
  const fetched = files.filter(({ name }) => name !== HELM);
  const helm = files.find(({ name }) => name === HELM)?.path;
  const parts = texts.flatMap(([name, text]) => [`${mark} ${name}\n`, ...(typeof text === 'string' ? [text] : text), '\n']);
  const isPlain = parts.every((part) => typeof part === 'string');
  return {
    spec: JSON.stringify({ unit, namespace, wait, conflicts, kubeconfig, mark, fetched, ...(helm !== undefined && { helm }) }),
    stdin: isPlain ? parts.join('') : parts.filter((part) => part !== ''),
  };
}
