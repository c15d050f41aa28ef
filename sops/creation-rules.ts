import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { SopsFault, sopsError } from './fault.js';
import { readYamlTree } from './formats/yaml-reader.js';
import { matchTexts, RULES, type Rule } from './selection.js';
import type { NewFile } from './sops-file.js';
import { entryOf, type MapNode, type Node } from './tree.js';

const NAME = '.sops.yaml';
/** Other keys that a rule may require. Without them the file would not follow the rule. */
const OTHERS = ['kms', 'pgp', 'gcp_kms', 'hckms', 'azure_keyvault', 'hc_vault_transit_uri', 'hc_vault'] as const;

/**
 * Returns how the nearest `.sops.yaml` above a new file requires it to be encrypted; undefined without such a file.
 *
 * @throws inputError `sops-rule` if no rule matches the file, `sops-unsupported` if the rule requires more than age
 */
export async function creationRule(file: string): Promise<NewFile | undefined> {
  const path = resolve(file);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const config = join(folder, NAME);
    const text = await textOf(config);
    if (text !== undefined) return ruled(config, text, relative(folder, path));
    if (folder === dirname(folder)) return undefined;
  }
}

async function textOf(config: string): Promise<string | undefined> {
  const found = await stat(config).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  // In a shared folder such as /tmp, another user's rules would choose the readers of the file.
  const me = process.getuid?.();
  if (me !== undefined && found.uid !== me && found.uid !== 0)
    throw sopsError(
      config,
      new SopsFault('sops-rule', `it belongs to the user ${found.uid}, who could choose the readers of the file`),
      'take the rules',
    );
  return readFile(config, 'utf8');
}

function ruled(config: string, text: string, file: string): NewFile | undefined {
  try {
    const [document] = readYamlTree(text);
    const rules = listAt(document, 'creation_rules');
    if (rules.length === 0) return undefined;
    for (const rule of rules) {
      if (rule.kind !== 'map') throw new SopsFault('sops-rule', 'a creation rule is a map of keys');
      const regex = textAt(rule, 'path_regex');
      if (regex === undefined || regex === '' || matchTexts(regex, [file], 'path_regex').size > 0) return newFileOf(rule);
    }
    throw new SopsFault('sops-rule', `none of its creation rules is for ${file}`, 'name recipients with --age, or add a rule');
  } catch (error) {
    if (error instanceof SopsFault) throw sopsError(config, error, 'take the rules');
    throw error;
  }
}

function newFileOf(rule: MapNode): NewFile {
  const groups = listAt(rule, 'key_groups').filter((group): group is MapNode => group.kind === 'map');
  if (groups.length > 1)
    throw new SopsFault(
      'sops-unsupported',
      "a rule requires several key groups (Shamir's secret sharing)",
      'sops itself makes such files',
    );
  const group = groups[0] ?? rule;
  const others = OTHERS.filter((name) => entryOf(group, name) !== undefined);
  if (others.length > 0)
    throw new SopsFault(
      'sops-unsupported',
      `a rule requires ${others.join(', ')}, and this command only encrypts for age`,
      'sops itself makes such files',
    );
  const own = RULES.flatMap((name): Rule[] => {
    const text = textAt(rule, name);
    return text === undefined || text === '' ? [] : [{ name, text }];
  });
  if (own.length > 1) throw new SopsFault('sops-rule', `a rule has both ${own.map(({ name }) => name).join(' and ')}`);
  return {
    recipients: recipientsIn(entryOf(group, 'age')?.value),
    ...(own[0] ? { rule: own[0] } : {}),
    macOnlyEncrypted: textAt(rule, 'mac_only_encrypted') === 'True',
  };
}

/** Returns the recipients in a comma-separated text, or in a list of such texts. */
function recipientsIn(node: Node | undefined): string[] {
  if (node?.kind === 'list') return node.items.flatMap((item) => (item.kind === 'leaf' ? recipientsIn(item) : []));
  if (node?.kind !== 'leaf') return [];
  return node.data
    .toString()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

const textAt = (map: MapNode, key: string): string | undefined => {
  const node = entryOf(map, key)?.value;
  return node?.kind === 'leaf' && node.type !== 'null' ? node.data.toString() : undefined;
};

const listAt = (map: MapNode | undefined, key: string): Node[] => {
  const node = map && entryOf(map, key)?.value;
  return node?.kind === 'list' ? node.items.filter((item): item is Node => item.kind !== 'comment') : [];
};
