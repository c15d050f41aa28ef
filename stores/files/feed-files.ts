import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FeedEntry, isBase } from '../../core/infra/feed.js';
import { keepWritten, replaceFile } from '../../home/durable.js';
import {
  contextOfEntry,
  digestFeed,
  type FeedHead,
  type FeedOwner,
  type FeedStore,
  newEntries,
  packEntry,
  trimToLastBase,
  unpackEntry,
} from '../feeds.js';
import { feedLengths, segmentsIn, WHOLE } from './feed-lengths.js';
import { ignoreMissing, namesIn, twoDeep } from './listing.js';
import type { Sealer } from './sealer.js';

/** Cached facts about the newest file of a feed, valid while the file has this length. */
interface Segment {
  path: string;
  size: number;
  last: number;
  base: number;
  /** Contents by sequence. */
  digests: Map<number, string>;
  /** It ends in the midst of a line: an append was cut off. */
  torn: boolean;
}

/** Number of cached feeds. */
const KNOWN = 1_000;

/**
 * Feeds in files of the home: `<workspace>/<infra>/<uuid>/<sequence>.feed`. Each line has a number and a sealed entry.
 * A snapshot begins a new file, after which the former file is deleted. A truncated line was never acknowledged, and
 * is written again.
 */
export function feedFiles(root: string, sealer: Sealer): FeedStore {
  const infraOf = ({ workspace, infra }: Omit<FeedOwner, 'uuid'>) =>
    join(root, encodeURIComponent(workspace), encodeURIComponent(infra));
  const folderOf = (owner: FeedOwner) => join(infraOf(owner), encodeURIComponent(owner.uuid));
  const known = new Map<string, Segment>();
  const turns = new Map<string, Promise<void>>();
  const lengths = feedLengths();

  function know(folder: string, segment: Segment): void {
    known.set(folder, segment);
    if (known.size > KNOWN) known.delete(known.keys().next().value as string);
  }

  async function segmentOf(owner: FeedOwner): Promise<Segment | undefined> {
    const folder = folderOf(owner);
    const segment = known.get(folder);
    if (segment && (await sizeOf(segment.path)) === segment.size) return segment;
    known.delete(folder);
    const newest = (await segmentsIn(folder)).at(-1);
    if (newest === undefined) return undefined;
    const path = join(folder, newest);
    const text = await readFile(path, 'utf8');
    // The writer may have died before the sync. An entry that counts as appended here must survive a power cut.
    await keepWritten(path);
    const read = noted({ path, size: Buffer.byteLength(text), torn: !text.endsWith('\n') }, await entriesIn(text, owner));
    know(folder, read);
    return read;
  }

  async function lineOf(entry: FeedEntry, owner: FeedOwner): Promise<string> {
    const cipher = await sealer();
    const sealed = cipher.seal(await packEntry(entry), contextOfEntry(owner, entry.sequence));
    return `${entry.sequence} ${sealed.toString('base64')}${WHOLE}\n`;
  }

  /** Parses entries in their order, each once; truncated lines are dropped. */
  async function entriesIn(text: string, owner: FeedOwner): Promise<FeedEntry[]> {
    const cipher = await sealer();
    const found = new Map<number, FeedEntry>();
    for (const line of text.split('\n')) {
      if (!line.endsWith(WHOLE)) continue;
      const [number = '', sealed = ''] = line.split(' ');
      const sequence = Number(number);
      if (found.has(sequence)) continue;
      const opened = await cipher.open(Buffer.from(sealed, 'base64'), contextOfEntry(owner, sequence));
      found.set(sequence, await unpackEntry(opened));
    }
    return [...found.values()].sort((a, b) => a.sequence - b.sequence);
  }

  async function append(owner: FeedOwner, entries: readonly FeedEntry[]): Promise<void> {
    const folder = folderOf(owner);
    const segment = await segmentOf(owner);
    const { last = 0, base = 0, digests } = segment ?? {};
    const fresh = newEntries(owner, { last, base, digestAt: (sequence) => digests?.get(sequence) }, entries);
    const [first] = fresh;
    if (!first) return;
    const lines = (await Promise.all(fresh.map((entry) => lineOf(entry, owner)))).join('');
    // After any outcome, the file is read again.
    known.delete(folder);
    if (segment && !isBase(first)) {
      const text = segment.torn ? `\n${lines}` : lines;
      // If a snapshot has replaced the file, the append starts again.
      if (!(await appendTo(segment.path, text))) return append(owner, entries);
      const grown = { ...segment, size: segment.size + Buffer.byteLength(text), torn: false };
      know(folder, noted(grown, fresh, segment.digests));
      return;
    }
    const path = join(folder, `${String(first.sequence).padStart(16, '0')}.feed`);
    await begin(folder, path, lines);
    know(folder, noted({ path, size: Buffer.byteLength(lines), torn: false }, fresh));
  }

  /** Begins a file; those before it go. */
  async function begin(folder: string, path: string, lines: string): Promise<void> {
    const former = await segmentsIn(folder);
    await replaceFile(path, lines);
    for (const name of former) if (join(folder, name) !== path) await rm(join(folder, name), { force: true });
  }

  return {
    append(owner, entries) {
      // One append at a time: two simultaneous readers of the file would both append.
      const folder = folderOf(owner);
      const before = turns.get(folder) ?? Promise.resolve();
      const done = before.then(() => append(owner, entries));
      const turn = done.catch(() => {}).finally(() => turns.get(folder) === turn && turns.delete(folder));
      turns.set(folder, turn);
      return done;
    },
    async read(infra) {
      const names = await namesIn(infraOf(infra));
      const feeds = names.map(async (name) => {
        const owner = { ...infra, uuid: decodeURIComponent(name) };
        return trimToLastBase(owner, await entriesIn(await newestText(folderOf(owner)), owner));
      });
      return (await Promise.all(feeds)).filter(({ entries }) => entries.length > 0);
    },
    async heads({ workspace, infra }) {
      const names = infra === undefined ? await namesIn(join(root, encodeURIComponent(workspace))) : [encodeURIComponent(infra)];
      const found: FeedHead[] = [];
      for (const name of names) {
        const place = { workspace, infra: decodeURIComponent(name) };
        for (const life of await namesIn(infraOf(place))) {
          const uuid = decodeURIComponent(life);
          const last = await lengths.of(folderOf({ ...place, uuid }));
          if (last > 0) found.push({ infra: place.infra, uuid, last });
        }
      }
      return found;
    },
    async infras() {
      const found: Omit<FeedOwner, 'uuid'>[] = [];
      for await (const [workspace, infra] of twoDeep(root))
        found.push({ workspace: decodeURIComponent(workspace), infra: decodeURIComponent(infra) });
      return found;
    },
    async check(owner) {
      await sealer();
      const draft = join(owner ? folderOf(owner) : root, `.${randomUUID()}`);
      await replaceFile(draft, 'can this be written?').finally(() => rm(draft, { force: true }));
    },
  };
}

/** Returns a segment with these entries and its former ones. */
function noted(
  { path, size, torn }: Pick<Segment, 'path' | 'size' | 'torn'>,
  entries: readonly FeedEntry[],
  digests: Map<number, string> = new Map(),
): Segment {
  for (const { sequence, content } of entries) digests.set(sequence, digestFeed(content));
  const [first = 0] = digests.keys();
  return { path, size, torn, digests, last: Math.max(0, ...digests.keys()), base: first > 1 ? first : 0 };
}

/** Appends to a file. Resolves once the text survives a power cut. @returns whether the file exists */
async function appendTo(path: string, text: string): Promise<boolean> {
  const file = await ignoreMissing(open(path, constants.O_WRONLY | constants.O_APPEND));
  if (!file) return false;
  try {
    await file.writeFile(text);
    await file.datasync();
    return true;
  } finally {
    await file.close();
  }
}

/** Returns the content of a feed's newest file. A file that disappears during the read was replaced by a newer one. */
async function newestText(folder: string): Promise<string> {
  for (;;) {
    const newest = (await segmentsIn(folder)).at(-1);
    if (newest === undefined) return '';
    const text = await ignoreMissing(readFile(join(folder, newest), 'utf8'));
    if (text !== undefined) return text;
  }
}

const sizeOf = async (path: string) => (await ignoreMissing(stat(path)))?.size;
