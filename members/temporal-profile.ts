import { inputError } from '../core/errors.js';
import { LIMITS } from '../core/limits.js';
import { readText } from '../definition/source/read-text.js';
import { editValue } from '../settings/edit/edit-text.js';
import type { Tree } from '../settings/layers/values.js';
import type { Invitation } from './invitation.js';
import type { TeamFiles } from './team-files.js';

/** Returns a profile in the format of Temporal's configuration file. */
export function profileTree({ address, namespace, serverName, tls }: Invitation['temporal'], files: TeamFiles): Tree {
  const secured: Tree = {
    ...(serverName && { server_name: serverName }),
    ...(tls && { server_ca_cert_path: files.ca, client_cert_path: files.certificate, client_key_path: files.key }),
  };
  return { address, namespace, ...(Object.keys(secured).length > 0 && { tls: secured }) };
}

/**
 * Returns the text of Temporal's configuration file with a profile added. The rest stays unchanged.
 *
 * @throws inputError `member-temporal` if it cannot be read, or has another profile of this name
 */
export async function addProfile(path: string, name: string, tree: Tree, { folder }: TeamFiles): Promise<string> {
  const before = await textAt(path);
  const former = await profileIn(path, before, name);
  if (former === undefined) return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${sectionOf(name, tree)}`;
  const { client_key_path: key } = (former.tls ?? {}) as Tree;
  const isOurs = typeof key === 'string' ? key.startsWith(`${folder}/`) : former.address === tree.address;
  if (!isOurs) throw bad(path, `it has another profile "${name}"`, 'name a new one: --profile NAME');
  return JSON.stringify(former) === JSON.stringify(tree) ? before : editValue('temporal.toml', before, ['profile', name], tree);
}

async function textAt(path: string): Promise<string> {
  const text = await readText(path, LIMITS.settings);
  if (typeof text === 'string') return text;
  if (text.code === 'ENOENT') return '';
  throw bad(path, text.message, text.suggestion);
}

async function profileIn(path: string, text: string, name: string): Promise<Tree | undefined> {
  const { parse } = await import('@decimalturn/toml-patch');
  try {
    const { profile } = parse(text) as { profile?: Record<string, Tree> };
    return profile && Object.hasOwn(profile, name) ? profile[name] : undefined;
  } catch {
    throw bad(path, 'it is not TOML');
  }
}

/** Returns the sections of a profile. A JSON string is also a TOML string. */
function sectionOf(name: string, { tls, ...tree }: Tree): string {
  const lines = (values: Tree) => Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  const secured = tls ? [`[profile.${name}.tls]\n`, ...lines(tls as Tree)] : [];
  return [`[profile.${name}]\n`, ...lines(tree), ...secured].join('');
}

const bad = (on: string, why: string, hint?: string) =>
  inputError({ code: 'member-temporal', what: "change Temporal's configuration file", on, why, ...(hint && { hint }) });
