import { ensureFile, type FoundFile, type Step, secretAs, splitPath, type Text, text } from '../../sdk/index.js';
import { keyOf, type User } from './users-config.js';

const BEGIN = '# begin of keys written by provisioning';
const END = '# end of keys written by provisioning';

/** Reports whether the file has keys of the platform. */
export const hasOurKeys = (found: FoundFile): boolean => found.content.includes(`${BEGIN}\n`);

/**
 * Our keys as a block of the file; keys put there by hand stay.
 *
 * @param lacksFolder whether the file's folder is missing: one that exists keeps its owner and mode
 */
export function ensureKeys(user: User, found: FoundFile, group: string, lacksFolder: boolean): Step[] {
  const owner = `${user.name}:${group}`;
  if (user.authorizedKeys.length === 0) return removeKeys(found, owner);
  const content = contentOf(foreign(found.content), user);
  const wanted = { content, ...attributesOf(found, owner), shared: true as const };
  const write = ensureFile(found, wanted, `Let ${user.name} log in by ${keys(user)}`);
  const { folder } = splitPath(found.path);
  const make: Step = { title: `Create ${folder}`, directory: { path: folder, mode: '0700', owner, keep: true } };
  return write.length === 0 ? [] : [...(lacksFolder && !found.exists ? [make] : []), ...write];
}

/** The file without our block. */
export function removeKeys(found: FoundFile, owner: string): Step[] {
  if (!hasOurKeys(found)) return [];
  const wanted = { content: foreign(found.content), ...attributesOf(found, owner), shared: true as const };
  return ensureFile(found, wanted, `Remove our keys from ${found.path}`);
}

/** A file that is there keeps its mode and owner as far as sshd takes keys from it, which drops root for the user's rights. */
function attributesOf({ exists, mode, owner }: FoundFile, wanted: string): { mode: string; owner: string } {
  const bits = Number.parseInt(mode, 8);
  const isRead = owner === 'root:root' ? bits & 0o004 : owner === wanted && bits & 0o400;
  return exists && isRead && !(bits & 0o022) ? { mode, owner } : { mode: '0600', owner: wanted };
}

function contentOf(others: string, { authorizedKeys }: User): Text {
  const lines = authorizedKeys.map(keyOf).map(({ options, key }) => {
    const before = options ? `${options} ` : '';
    return text`${before}${typeof key === 'string' ? key : secretAs('ssh-public-key', key)}\n`;
  });
  return text`${others}${BEGIN}\n${lines.flat()}${END}\n`;
}

const keys = ({ authorizedKeys: { length } }: User) => (length === 1 ? '1 key' : `${length} keys`);

/** Everything outside our block, ending in a new line unless empty. */
function foreign(content: string): string {
  const kept: string[] = [];
  let inside = false;
  for (const line of content.split('\n')) {
    if (line === BEGIN) inside = true;
    else if (line === END) inside = false;
    else if (!inside) kept.push(line);
  }
  const text = kept.join('\n').replace(/\n+$/, '');
  return text === '' ? '' : `${text}\n`;
}
