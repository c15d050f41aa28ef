import { describe, expect, test } from 'vitest';
import { isInPart, oneOfEach } from '../support/in-part.js';
import { BAD_INPUTS } from './bad-inputs.js';
import { type BadInput, errorsIn, runRow } from './run-row.js';

/** Promised maximum memory of the whole process, in MiB. */
const MOST_MIB = 512;

const rows = Object.values(BAD_INPUTS).flat();

test('there are at least sixty, each of its own', () => {
  expect(rows.length).toBeGreaterThanOrEqual(60);
  expect(new Set(rows.map(({ title }) => title)).size).toBe(rows.length);
});

/** Each kind of input, or the selected part of it. */
const kinds = Object.entries(BAD_INPUTS).map(([kind, inputs]): [string, readonly BadInput[]] =>
  isInPart('test/input/bad-inputs.test.ts') ? [kind, oneOfEach(inputs, Math.min(5, inputs.length))] : [kind, inputs],
);

describe.each(kinds)('bad %s', (_, inputs) => {
  test.each(inputs)('$title: one error that says where and why', { timeout: 180_000 }, async (row) => {
    const { exit, output, peakMiB } = await runRow(row);
    const errors = errorsIn(output);
    expect(errors).toHaveLength(row.errors ?? 1);
    expect(errors[0]).toMatch(row.says);
    if (row.place) expect(errors[0]?.startsWith(row.place)).toBe(true);
    expect(exit).toBe(row.exit);
    // No stack trace, no terminal control characters, and no flood.
    expect(output).not.toMatch(/^\s+at |node:internal/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
    expect(output).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u200b]/);
    expect(output.length).toBeLessThan(20_000);
    expect(peakMiB).toBeGreaterThan(0);
    expect(peakMiB).toBeLessThan(MOST_MIB);
  });
});
