import { canonical } from '../../../core/encoding/hash.js';
import { hasEnded, replayFeed } from '../../../core/infra/feed.js';
import { unpackFeed } from '../../../stores/feeds.js';
import type { RecordKind, StoreRecord, StoreRecords } from '../../../stores/records.js';
import type { Engine } from '../../engine.js';
import { queryInfras } from '../../infra/entity.js';
import { belongsTo, TAKEN_KINDS } from './workspace-content.js';

type Reader = Pick<StoreRecords, 'read'>;

/** What is here of a workspace and would be replaced or mixed by its import, as people call it. */
export async function findCollisions(
  engine: Engine,
  all: Reader,
  { workspace, records }: { workspace: string; records: readonly StoreRecord[] },
): Promise<string[]> {
  const found = new Set((await queryInfras(engine, workspace)).map((infra) => `infra ${infra}`));
  const names = new Set(records.map(nameRecord));
  for (const kind of TAKEN_KINDS) {
    // The same texts may be here by the same addresses.
    if (kind === 'blob') continue;
    for await (const record of all.read(kind)) {
      if (!belongsTo(workspace, record)) continue;
      const lives = kind === 'feed' && !hasEnded({ uuid: '', entries: await unpackFeed(record.bytes) });
      if (lives || names.has(nameRecord(record))) found.add(describe(record));
    }
  }
  return [...found].sort();
}

/** The records that are others here by now, or missing, as people call them. */
export async function hasChanged(all: Reader, records: readonly StoreRecord[]): Promise<string[]> {
  const wanted = new Map(records.filter(({ kind }) => kind === 'feed' || kind === 'secret').map((one) => [nameRecord(one), one]));
  for (const kind of ['feed', 'secret'] as const satisfies RecordKind[])
    for await (const record of all.read(kind)) {
      const before = wanted.get(nameRecord(record));
      if (before && (await isEqual(before, record))) wanted.delete(nameRecord(record));
    }
  return [...wanted.values()].map(describe).sort();
}

/** Of feeds it counts what they say: an infra that has begun writes down all that it knows. */
async function isEqual(a: StoreRecord, b: StoreRecord): Promise<boolean> {
  if (a.kind !== 'feed') return a.bytes.equals(b.bytes);
  const [one, two] = await Promise.all([a, b].map(readKnown));
  return one === two;
}

async function readKnown({ name, bytes }: StoreRecord): Promise<string> {
  const [workspace = '', infra = '', uuid = ''] = name;
  const { inventory, definitions } = replayFeed({ workspace, infra }, { uuid, entries: await unpackFeed(bytes) });
  return canonical({ inventory, definitions });
}

const nameRecord = ({ kind, name }: StoreRecord): string => JSON.stringify([kind, ...name]);

function describe({ kind, name }: StoreRecord): string {
  const [, infra = '', last = ''] = name;
  if (kind === 'feed') return `infra ${infra}`;
  if (kind === 'key') return `SSH key of ${infra}${last === '' ? '' : `/${last}`}`;
  return `secret ${last}${infra === '' ? '' : ` of ${infra}`}`;
}
