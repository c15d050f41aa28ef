import type { Home } from '../../../home/home.js';
import { FILES_NAME, fileMoves } from '../../move/file-moves.js';
import { checkRecordNames, RECORD_KINDS, type StoreRecords } from '../../records.js';
import { contentAt, recordWriter } from '../../records-into.js';
import { homeRows } from '../../rows/open-rows.js';
import { claimsIn, keepClaimFile } from '../claim-files.js';
import { fileStores } from '../file-stores.js';
import { createSealer } from '../sealer.js';
import { createKeyedSealer, createPrivateText } from '../sealing.js';
import { addressesIn, READERS } from './read-records.js';
import { fileRemover } from './remove-record.js';
import { writeKey } from './write-key.js';

/** The files of a home as records. */
export function fileRecords(home: Home, env: NodeJS.ProcessEnv): StoreRecords {
  const sealer = createSealer(home, env);
  const text = createPrivateText(home, sealer, env);
  const rows = homeRows(home, createKeyedSealer(home, sealer, env));
  const stores = fileStores(home, sealer, text, rows, {});
  return {
    name: FILES_NAME,
    async *read(kind) {
      for await (const { name, bytes } of READERS[kind](home, sealer))
        yield { kind, name: checkRecordNames({ kind, name }), bytes };
    },
    write: recordWriter(stores, (names, record) => writeKey(home.keys, text, names, record)),
    remove: fileRemover(home, stores),
    addresses: (kind) => addressesIn(kind === 'blob' ? home.batches : home.payloads),
    contentAt: (kind, address) => contentAt(stores, kind, address),
    claims: () => claimsIn(home.claims),
    keepClaim: (claim) => keepClaimFile(home.claims, claim),
    moves: fileMoves(home),
    async isEmpty() {
      for (const kind of RECORD_KINDS) for await (const _ of READERS[kind](home, sealer)) return false;
      return true;
    },
    close: () => stores.close(),
  };
}
