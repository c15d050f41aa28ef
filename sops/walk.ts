import { createHash } from 'node:crypto';
import { createTamperedFault, isSealed, plainOf, type ValueCipher } from './cipher.js';
import { type Rule, selectionOf, type ValuePlace } from './selection.js';
import { type Comment, type Entry, type Leaf, type LeafType, type MapNode, type Node, textLeaf } from './tree.js';

/** Functions that convert each value and comment. */
interface Visitor {
  leaf(value: Leaf, standing: ValuePlace): Leaf;
  comment(text: string, standing: ValuePlace): string;
}

export interface Crypt {
  rule: Rule;
  macOnlyEncrypted: boolean;
  cipher: ValueCipher;
}

/**
 * Prefix of a checksum over only the encrypted values, which makes it differ from other checksums: SHA-256 of "sops".
 */
const ONLY_ENCRYPTED = createHash('sha256').update('sops').digest();

/** Encrypts the documents of a file. @returns them, and the checksum over their values in order */
export const encryptTree = (documents: readonly MapNode[], crypt: Crypt) =>
  walk(documents, crypt, (isChosen, count) => ({
    leaf: (value, standing) => {
      const chosen = isChosen(standing);
      count(value.data, chosen);
      if (!chosen || value.data.length === 0) return chosen ? textLeaf('') : value;
      return textLeaf(crypt.cipher.encrypt(plainOf(value), contextOf(standing)));
    },
    comment: (text, standing) => {
      if (!isChosen(standing) || text === '') return text;
      return crypt.cipher.encrypt({ type: 'comment', data: Buffer.from(text) }, contextOf(standing));
    },
  }));

/** Decrypts documents. @throws SopsFault `sops-tampered` for changed values */
export const decryptTree = (documents: readonly MapNode[], crypt: Crypt) =>
  walk(documents, crypt, (isChosen, count) => ({
    leaf: (value, standing) => {
      const chosen = isChosen(standing);
      const plain = chosen ? decryptLeaf(value, crypt.cipher, contextOf(standing)) : value;
      count(plain.data, chosen);
      return plain;
    },
    comment: (text, standing) => {
      // The checksum excludes comments, and SOPS keeps comments that it cannot decrypt.
      if (!isChosen(standing) || !isSealed(text)) return text;
      const { type, data } = crypt.cipher.decrypt(text, contextOf(standing));
      if (type !== 'comment') throw createTamperedFault('a comment was replaced by a value');
      return data.toString();
    },
  }));

function decryptLeaf(value: Leaf, cipher: ValueCipher, context: string): Leaf {
  if (value.type !== 'str') throw createTamperedFault('a value that should be encrypted is not');
  if (value.data.length === 0) return value;
  const { type, data } = cipher.decrypt(value.data.toString(), context);
  if (type === 'comment') throw createTamperedFault('a value was replaced by a comment');
  return { kind: 'leaf', type: type as LeafType, data };
}

const contextOf = ({ path }: ValuePlace): string => `${path.join(':')}:`;

function walk(
  documents: readonly MapNode[],
  { rule, macOnlyEncrypted }: Crypt,
  make: (isChosen: (standing: ValuePlace) => boolean, count: (data: Buffer, chosen: boolean) => void) => Visitor,
): { documents: MapNode[]; mac: string } {
  const hash = createHash('sha512');
  if (macOnlyEncrypted) hash.update(ONLY_ENCRYPTED);
  const isChosen = selectionOf(rule, textsOf(documents));
  const visitor = make(isChosen, (data, chosen) => void ((chosen || !macOnlyEncrypted) && hash.update(data)));
  const walked = documents.map((document) => walkMap(document, [], [], visitor));
  return { documents: walked, mac: hash.digest('hex').toUpperCase() };
}

function walkNode(node: Node, path: readonly string[], comments: readonly (readonly string[])[], visitor: Visitor): Node {
  if (node.kind === 'map') return walkMap(node, path, comments, visitor);
  if (node.kind === 'leaf') return node.type === 'null' ? node : visitor.leaf(node, { path, comments, isComment: false });
  const here: string[] = [];
  return {
    kind: 'list',
    // The items of a list have the path of the list.
    items: node.items.map((item) =>
      walkItem(item, here, path, comments, visitor, (one) => walkNode(one, path, [...comments, here], visitor)),
    ),
  };
}

function walkMap(map: MapNode, path: readonly string[], comments: readonly (readonly string[])[], visitor: Visitor): MapNode {
  const here: string[] = [];
  const enter = ({ key, value }: Entry): Entry => ({
    kind: 'entry',
    key,
    value: walkNode(value, [...path, key], [...comments, here], visitor),
  });
  return { kind: 'map', items: map.items.map((item) => walkItem(item, here, path, comments, visitor, enter)) };
}

/** @param here comments since the last value of this level; a value clears them */
function walkItem<Item extends Entry | Node>(
  item: Item | Comment,
  here: string[],
  path: readonly string[],
  comments: readonly (readonly string[])[],
  visitor: Visitor,
  enter: (item: Item) => Item,
): Item | Comment {
  if (item.kind === 'comment') {
    const comment = item as Comment;
    here.push(comment.text);
    return { ...comment, text: visitor.comment(comment.text, { path, comments: [...comments, [...here]], isComment: true }) };
  }
  const entered = enter(item as Item);
  here.length = 0;
  return entered;
}

/** Returns all names and comments of documents. */
function textsOf(documents: readonly MapNode[]): { names: Set<string>; comments: Set<string> } {
  const found = { names: new Set<string>(), comments: new Set<string>() };
  const left: (Node | Entry | Comment)[] = [...documents];
  for (let next = left.pop(); next; next = left.pop()) {
    if (next.kind === 'comment') found.comments.add(next.text);
    else if (next.kind === 'entry') {
      found.names.add(next.key);
      left.push(next.value);
    } else if (next.kind !== 'leaf') for (const item of next.items) left.push(item);
  }
  return found;
}
