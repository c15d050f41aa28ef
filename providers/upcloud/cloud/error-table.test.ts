import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODES, TABLE } from './error-table.js';

const data = resolve(process.env.PROVISIONING_CLOUD_DATA ?? '../shared/clouds');
const documentedFile = resolve(data, 'upcloud-openapi-facts/error-codes.txt');
const recordings = resolve(data, 'upcloud-cassettes');
const there = existsSync(documentedFile);
if (!there) console.warn(`skipped: no error codes in ${documentedFile} (PROVISIONING_CLOUD_DATA)`);

describe.skipIf(!there)('the codes of UpCloud', () => {
  const documented = there ? readFileSync(documentedFile, 'utf8').split(/\s+/).filter(Boolean) : [];

  it('are all decided upon: those that are documented', () => {
    expect(documented).toHaveLength(214);
    expect(documented.filter((code) => !TABLE.has(code))).toEqual([]);
  });

  it('are all decided upon: those that were recorded', () => {
    const files = readdirSync(recordings).filter((file) => file.endsWith('.json'));
    const text = files.map((file) => readFileSync(resolve(recordings, file), 'utf8')).join('\n');
    const classic = [...text.matchAll(/"error_code" ?: ?"([A-Z_-]+)"/g)].map(([, code]) => code ?? '');
    const problems = [...text.matchAll(/errors#ERROR_([A-Z_-]+)"/g)].map(([, code]) => code ?? '');
    const recorded = new Set([...classic, ...problems]);
    expect(recorded.size).toBeGreaterThan(5);
    expect([...recorded].filter((code) => !TABLE.has(code))).toEqual([]);
  });

  it('that are not documented are few, and named', () => {
    expect(CODES.filter((code) => !documented.includes(code))).toEqual(['PLAN_INVALID', 'PLAN_NOT_FOUND', 'TOO_MANY_REQUESTS']);
  });
});

describe('the table', () => {
  it('decides once on each code', () => {
    expect(CODES.filter((code, index) => CODES.indexOf(code) !== index)).toEqual([]);
  });

  it('has a remedy for whatever the user is to fix', () => {
    const without = [...TABLE].filter(([, { blame, hint }]) => blame === 'user' && !hint);
    expect(without).toEqual([]);
  });

  it.each([
    ['AUTHENTICATION_FAILED', 'credentials', 'user'],
    ['SERVER_CORE_LIMIT_REACHED', 'quota-exceeded', 'user'],
    ['INSUFFICIENT_CREDITS', 'quota-exceeded', 'user'],
    ['ZONE_INVALID', 'unknown-zone', 'user'],
    ['PLAN_CORE_NUMBER_ILLEGAL', 'unknown-plan', 'user'],
    ['SIZE_INVALID', 'volume-too-small', 'user'],
    ['SERVER_STATE_ILLEGAL', 'upcloud-not-settled', 'weather'],
    ['SERVER_RESOURCES_UNAVAILABLE', 'no-capacity', 'weather'],
    ['STORAGE_DEVICES_MISSING', 'upcloud-refused', 'bug'],
  ])('%s is %s', (code, ours, blame) => {
    expect(TABLE.get(code)).toMatchObject({ code: ours, blame });
  });
});
