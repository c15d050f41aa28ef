import { basename } from 'node:path';
import { SopsFault } from '../fault.js';
import { entry, entryOf, type MapNode } from '../tree.js';
import { readDotenvTree, writeDotenvTree } from './dotenv.js';
import { flattenMap, unflattenMap } from './flatten.js';
import { readJsonTree, writeJsonTree } from './json.js';
import { readYamlTree } from './yaml-reader.js';
import { writeYamlTree } from './yaml-writer.js';

/** File format, converted to documents and back. */
interface Format {
  name: 'yaml' | 'json' | 'dotenv' | 'binary';
  readPlain(bytes: Buffer): MapNode[];
  writePlain(documents: readonly MapNode[]): Buffer;
  /** @returns the documents without SOPS metadata, and the metadata; undefined if a file has none */
  readSealed(bytes: Buffer): { documents: MapNode[]; metadata?: MapNode };
  writeSealed(documents: readonly MapNode[], metadata: MapNode): Buffer;
}

export type { Format };

const KEY = 'sops';
const PREFIX = 'sops_';

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SopsFault('sops-file', 'it is not UTF-8 text');
  }
}

/** Removes the metadata from documents: all have it, and the first document's counts. */
function split(documents: readonly MapNode[]): { documents: MapNode[]; metadata?: MapNode } {
  const found = documents[0] && entryOf(documents[0], KEY)?.value;
  if (found && found.kind !== 'map') throw new SopsFault('sops-file', `its key "${KEY}" is not a map`);
  const rest = documents.map(
    ({ items }): MapNode => ({
      kind: 'map',
      items: items.filter((item) => item.kind !== 'entry' || item.key !== KEY),
    }),
  );
  return { documents: rest, metadata: found };
}

function joined(documents: readonly MapNode[], metadata: MapNode): MapNode[] {
  return documents.map((document) => {
    if (entryOf(document, KEY)) throw reserved();
    return { kind: 'map', items: [...document.items, entry(KEY, metadata)] };
  });
}

const reserved = () => new SopsFault('sops-file', `a value has the name "${KEY}", which SOPS reserves`);

const yaml: Format = {
  name: 'yaml',
  readPlain: (bytes) => readYamlTree(textOf(bytes)),
  writePlain: (documents) => Buffer.from(writeYamlTree(documents)),
  readSealed: (bytes) => split(readYamlTree(textOf(bytes))),
  writeSealed: (documents, metadata) => Buffer.from(writeYamlTree(joined(documents, metadata))),
};

const json: Format = {
  name: 'json',
  readPlain: (bytes) => [readJsonTree(textOf(bytes))],
  writePlain: ([document]) => Buffer.from(document ? writeJsonTree(document) : ''),
  readSealed: (bytes) => split([readJsonTree(textOf(bytes))]),
  writeSealed: (documents, metadata) => Buffer.from(joined(documents, metadata).map(writeJsonTree).join('')),
};

const dotenv: Format = {
  name: 'dotenv',
  readPlain: (bytes) => [readDotenvTree(textOf(bytes))],
  writePlain: ([document]) => Buffer.from(document ? writeDotenvTree(document) : ''),
  readSealed(bytes) {
    const { items } = readDotenvTree(textOf(bytes));
    const own = items.flatMap((item) =>
      item.kind === 'entry' && item.key.startsWith(PREFIX) ? [entry(item.key.slice(PREFIX.length), item.value)] : [],
    );
    const rest = items.filter((item) => item.kind !== 'entry' || !item.key.startsWith(PREFIX));
    return { documents: [{ kind: 'map', items: rest }], ...(own.length > 0 ? { metadata: unflattenMap(own) } : {}) };
  },
  writeSealed([document], metadata) {
    const items = document?.items ?? [];
    if (items.some((item) => item.kind === 'entry' && item.key.startsWith(PREFIX))) throw reserved();
    const own = flattenMap(metadata).map(({ key, value }) => entry(`${PREFIX}${key}`, value));
    return Buffer.from(writeDotenvTree({ kind: 'map', items: [...items, ...own] }));
  },
};

/** Any content, as the single value of a JSON file. */
const binary: Format = {
  name: 'binary',
  readPlain: (bytes) => [{ kind: 'map', items: [entry('data', { kind: 'leaf', type: 'str', data: bytes })] }],
  writePlain([document]) {
    const value = document && entryOf(document, 'data')?.value;
    return value?.kind === 'leaf' ? value.data : Buffer.alloc(0);
  },
  readSealed(bytes) {
    const { documents, metadata } = json.readSealed(bytes);
    const [document] = documents;
    if (metadata && document && entryOf(document, 'data')?.value.kind !== 'leaf')
      throw new SopsFault('sops-file', 'it has no value "data", where SOPS stores files of other kinds');
    return { documents, metadata };
  },
  writeSealed: (documents, metadata) => json.writeSealed(documents, metadata),
};

/** Returns the format of a file by its name, like `sops`. @throws SopsFault `sops-unsupported` for .ini */
export function formatOf(file: string): Format {
  const name = basename(file);
  if (/\.ya?ml$/.test(name)) return yaml;
  if (name.endsWith('.json')) return json;
  if (name.endsWith('.env')) return dotenv;
  if (name.endsWith('.ini'))
    throw new SopsFault('sops-unsupported', 'files of the kind .ini are not supported', 'use .env, .yaml or .json');
  return binary;
}
