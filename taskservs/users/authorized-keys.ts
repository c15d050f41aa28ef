import { ensureFile, type FoundFile, type Step, type Text } from '../../sdk/index.js';
import { homeOf, keyOf, type User } from './users-config.js';

const BEGIN = '# begin of keys written by provisioning';
const END = '# end of keys written by provisioning';

/** Whether the file holds keys of ours. */
export const hasOurKeys = (found: FoundFile): boolean => found.content.includes(`${BEGIN}\n`);

/** Our keys as a block of the file; keys put there by hand stay. */
export function ensureKeys(user: User, found: FoundFile, group: string): Step[] {
  if (user.authorizedKeys.length === 0) return removeKeys(found, `${user.name}:${group}`);
  const content = contentOf(foreign(found.content), user);
  const owner = `${user.name}:${group}`;
  const write = ensureFile(found, { content, mode: '0600', owner }, `Let ${user.name} log in by ${keys(user)}`);
  const folder = `${homeOf(user)}/.ssh`;
  return write.length === 0 ? [] : [{ title: `Create ${folder}`, directory: { path: folder, mode: '0700', owner } }, ...write];
}

/** The file without our block. Mode and owner are what they are to be, not what the file's owner made of them. */
export function removeKeys(found: FoundFile, owner: string): Step[] {
  if (!hasOurKeys(found)) return [];
  return ensureFile(found, { content: foreign(found.content), mode: '0600', owner }, `Remove our keys from ${found.path}`);
}

/** A generated key is a reference, and so a part of its own. */
function contentOf(others: string, { authorizedKeys }: User): Text {
  const lines = authorizedKeys.map(keyOf).map(({ options, key }) => [...(options ? [`${options} `] : []), key, '\n']);
  const parts = [`${others}${BEGIN}\n`, ...lines.flat(), `${END}\n`];
  return parts.every((part) => typeof part === 'string') ? parts.join('') : parts;
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
