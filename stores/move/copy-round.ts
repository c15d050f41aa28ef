import { ADDRESSED_KINDS, type AddressedKind, RECORD_KINDS, type RecordKind, type StoreRecords } from '../records.js';
import { nameText, readDigests, recordDigest } from './compare-stores.js';

interface Round {
  source: StoreRecords;
  target: StoreRecords;
  key: Uint8Array;
  /** `names` copies content-addressed records that are missing, and trusts the others. */
  reading: 'contents' | 'names';
  /** Called for each record that was written or removed. */
  onRecord(kind: RecordKind): void;
}

/**
 * Makes the target equal to the present source. Copies records that are missing or differ, and removes records that
 * the source does not have. An interrupted round is completed by the next one.
 *
 * @returns number of records that were written or removed
 * @throws inputError `bad-record`, and the errors of the stores
 */
export async function copyRound(round: Round): Promise<number> {
  let changes = 0;
  for (const kind of RECORD_KINDS) {
    const onRecord = (of: RecordKind) => {
      changes++;
      round.onRecord(of);
    };
    const copied = { ...round, onRecord };
    if (round.reading === 'names' && isAddressed(kind)) await copyAddresses(copied, kind);
    else if (kind === 'rows') await copyPages(copied, kind);
    else await copyRecords(copied, kind);
  }
  return changes;
}

const isAddressed = (kind: RecordKind): kind is AddressedKind => (ADDRESSED_KINDS as readonly RecordKind[]).includes(kind);
const EMPTY = Buffer.alloc(0);

async function copyAddresses({ source, target, onRecord }: Round, kind: AddressedKind): Promise<void> {
  const there = new Set<string>();
  for await (const address of target.addresses(kind)) there.add(address);
  for await (const address of source.addresses(kind)) {
    if (there.delete(address)) continue;
    const bytes = await source.contentAt(kind, address);
    if (!bytes) continue;
    await target.write({ kind, name: [address], bytes });
    onRecord(kind);
  }
  for (const address of there) {
    await target.remove({ kind, name: [address], bytes: EMPTY });
    onRecord(kind);
  }
}

async function copyRecords({ source, target, key, onRecord }: Round, kind: RecordKind): Promise<void> {
  const there = await readDigests(target, kind, key, 'contents');
  for await (const record of source.read(kind)) {
    const name = nameText(record.name);
    const kept = there.get(name);
    there.delete(name);
    if (kept === recordDigest(record, key)) continue;
    // A store never overwrites a number, a version or a key, so the former record is removed first.
    if (kept !== undefined) await target.remove(record);
    await target.write(record);
    onRecord(kind);
  }
  for (const name of there.keys()) {
    await target.remove({ kind, name: JSON.parse(name), bytes: EMPTY });
    onRecord(kind);
  }
}

/**
 * Copies pages. A deleted row moves all later rows to other pages, so the rows of all changed pages are deleted before
 * any page is written.
 */
async function copyPages({ source, target, key, onRecord }: Round, kind: RecordKind): Promise<void> {
  const there = await readDigests(target, kind, key, 'contents');
  const here = there.size > 0 ? await readDigests(source, kind, key, 'contents') : there;
  if (there.size > 0) {
    const other = [];
    for await (const record of target.read(kind))
      if (here.get(nameText(record.name)) !== there.get(nameText(record.name))) other.push(record);
    for (const record of other) {
      await target.remove(record);
      onRecord(kind);
    }
  }
  for await (const record of source.read(kind)) {
    if (there.get(nameText(record.name)) === recordDigest(record, key)) continue;
    await target.write(record);
    onRecord(kind);
  }
}
