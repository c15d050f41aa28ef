import { hasEnded } from '../../../core/infra/feed.js';
import { unpackFeed } from '../../../stores/feeds.js';
import type { StoreRecord, StoreRecords } from '../../../stores/records.js';
import type { Engine } from '../../engine.js';
import { queryInfras } from '../../infra/entity.js';
import { belongsTo, TAKEN_KINDS } from './workspace-content.js';

type Reader = Pick<StoreRecords, 'read'>;

/** Names the parts of a workspace that its import would replace or mix. */
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

/**
 * Secrets that have other values here than in the records, as people call them.
 *
 * @param isWhole whether a missing one counts
 */
export async function findChangedSecrets(all: Reader, records: readonly StoreRecord[], isWhole: boolean): Promise<string[]> {
  const wanted = new Map(records.filter(({ kind }) => kind === 'secret').map((one) => [nameRecord(one), one]));
  const changed: StoreRecord[] = [];
  for await (const record of all.read('secret')) {
    const before = wanted.get(nameRecord(record));
    if (before && !before.bytes.equals(record.bytes)) changed.push(record);
    wanted.delete(nameRecord(record));
  }
  if (isWhole) changed.push(...wanted.values());
  return changed.map(describe).sort();
}

const nameRecord = ({ kind, name }: StoreRecord): string => JSON.stringify([kind, ...name]);

function describe({ kind, name }: StoreRecord): string {
  const [, infra = '', last = ''] = name;
  if (kind === 'feed') return `infra ${infra}`;
  if (kind === 'key') return `SSH key of ${infra}${last === '' ? '' : `/${last}`}`;
  return `secret ${last}${infra === '' ? '' : ` of ${infra}`}`;
}
