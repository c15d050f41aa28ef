import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { auditEvents } from '../../../stores/rows/audit-events.js';
import { auditRecords } from '../../../stores/rows/audit-records.js';
import { describeEvent, describeRecords } from '../../audit/describe-records.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { AUDIT_RESOURCE, auditRecord, STORE_ERRORS } from '../../schemas/audit.js';

/** `WRITER.CLASS/SEQUENCE`. */
const RECORD = /^([0-9a-f]+\.[a-z-]+)\/([1-9][0-9]*)$/;

export const getAudit = method({
  name: 'audit.get',
  summary: 'Get the records of one call, with all that is known of it',
  input: z.strictObject({ record: z.string().min(1).max(200).describe('The id of a record, or of a call') }),
  output: z.strictObject({ records: z.array(auditRecord) }),
  permission: { action: 'audit:read', resource: () => AUDIT_RESOURCE },
  rest: { verb: 'GET', path: '/audit/records/{record}' },
  errors: ['unknown-audit-record', ...STORE_ERRORS].sort(),
  async run({ engine }, { record }) {
    const rows = await openRows(engine.stores, 'read the record');
    const log = rows.log(auditRecords);
    const call = RECORD.test(record) ? await callOf(record) : record;
    const { rows: found } = call === undefined ? { rows: [] } : await log.list({ where: { call } });
    const records = await Promise.all(found.map(({ row }) => describeRecords(rows)(row)));
    const former = call === undefined ? [] : (await rows.log(auditEvents).list({ where: { call } })).rows;
    if (records.length + former.length === 0) {
      const why = 'the audit has no such record';
      throw inputError({ code: 'unknown-audit-record', what: 'read the record', on: record, why, hint: 'provisioning audit list' });
    }
    return { records: [...former.map(({ row }) => describeEvent(row)), ...records] };

    async function callOf(id: string): Promise<string | undefined> {
      const chain = RECORD.exec(id)?.[1] ?? '';
      for (let after: string | undefined; ; ) {
        const { rows: page, next } = await log.list({ where: { chain }, limit: 1_000, ...(after && { after }) });
        const one = page.find(({ row }) => row.id === id);
        if (one || next === undefined) return one?.row.call;
        after = next;
      }
    }
  },
});
