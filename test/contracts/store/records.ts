import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { makePair } from '../../../stores/key-pair.js';
import { RECORD_KINDS, type StoreRecord, type StoreRecords } from '../../../stores/records.js';
import { auditEvents } from '../../../stores/rows/audit-events.js';
import type { Stores } from '../../../stores/stores.js';

/** Writes each kind of record once, and further keys. */
export async function fill(stores: Stores): Promise<void> {
  const owner = { workspace: 'w', infra: 'i' };
  await stores.sequences.begin(owner, 'run', 7);
  await stores.feeds.append({ ...owner, uuid: 'life' }, [{ sequence: 1, at: '', content: { kind: 'ended' } }]);
  await stores.keys.infraKey(owner);
  await stores.keys.hostKey(owner, 'made');
  await stores.keys.pin(owner, 'old', 'ssh-ed25519 AAAA');
  await stores.keys.hostKey(owner, 'both');
  await stores.keys.pin(owner, 'both', 'ssh-ed25519 BBBB');
  await stores.secrets.set('shared/pw', 'one');
  await stores.secrets.within({ workspace: 'w' }).set('pw', 'two');
  await stores.secrets.within(owner).set('pw', 'three');
  await stores.secrets.within(owner).set('pw', 'four', { by: 'ada', how: 'secret rotate' });
  await stores.secrets.within(owner).noteRead('pw', { at: '2026-11-29T00:00:00.000Z', by: 'ada@desk', how: 'secret get' });
  await stores.rollbacks.keep({ ...owner, operation: 'o' }, { kind: 'cluster', compensations: [] });
  await stores.rollbacks.keep({ ...owner, operation: 'of/former' }, { kind: 'cluster', compensations: [] });
  const call = { at: '2026-11-29T00:00:00.000Z', actor: 'ann@desk', method: 'operations.pause' } as const;
  for (const id of ['one', 'two'])
    await (await stores.rows()).log(auditEvents).append([{ id, call: id, ...call, outcome: 'refused' }]);
  await stores.blobs.put('a page');
  await stores.payloads.put(createHash('sha256').update('bytes').digest('hex'), Buffer.from('bytes'));
  const log = await stores.logs.open({ operation: 'o', server: 's', taskserv: 't', generation: 1, attempt: 2 });
  log.write('done');
  await log.close();
}

/** Returns all records as text, in a fixed order. */
async function recordsIn(records: StoreRecords): Promise<string[]> {
  const found: string[] = [];
  for (const kind of RECORD_KINDS)
    for await (const { name, bytes } of records.read(kind)) {
      // Each store decides whether a created machine has its pin beside its key.
      const text =
        kind === 'key' ? bytes.toString('utf8').replace(/,"pin":"ssh-ed25519 \S{60,} made"/, '') : bytes.toString('base64');
      found.push(`${kind} ${name.join(' ')} ${text}`);
    }
  return found.sort();
}

/** Copies all records of one store into another, each twice, and tries some invalid ones. */
export async function movedTwice(source: StoreRecords, target: StoreRecords): Promise<void> {
  for (const kind of RECORD_KINDS)
    for await (const record of source.read(kind)) for (let time = 1; time <= 2; time++) await target.write(record);
  expect(await recordsIn(target)).toEqual(await recordsIn(source));
  const other = makePair('other').private;
  const bad: StoreRecord[] = [
    { kind: 'key', name: ['w', 'i', ''], bytes: Buffer.from(JSON.stringify({ private: other })) },
    { kind: 'key', name: ['w', 'i', 'new'], bytes: Buffer.from('{}') },
    { kind: 'payload', name: ['0'.repeat(64)], bytes: Buffer.from('bytes') },
    { kind: 'blob', name: ['0'.repeat(64)], bytes: Buffer.from('a page') },
    { kind: 'sequence', name: ['w', '../i'], bytes: Buffer.from('{"sequence":1,"run":"r"}') },
  ];
  for (const record of bad) await expect(target.write(record)).rejects.toMatchObject({ details: { code: 'bad-record' } });
  expect(await recordsIn(target)).toEqual(await recordsIn(source));
}
