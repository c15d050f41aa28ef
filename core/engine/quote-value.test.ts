import { expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { quoteValue } from './quote-value.js';

/** Reads a text like Temporal's parser (`scanString` of temporalio/sqlparser). Returns it with the rest of the query. */
function scanString(query: string): { text: string; rest: string } {
  let text = '';
  for (let at = 1; ; at++) {
    const sign = query[at];
    if (sign === undefined) throw new Error('the text has no end');
    if (sign === '\\') text += query[++at];
    else if (sign !== "'") text += sign;
    else if (query[at + 1] === "'") text += query[++at];
    else return { text, rest: query.slice(at + 1) };
  }
}

test('each text is one value, whatever it contains', () => {
  const signs = fc.constantFrom("'", '\\', '-', ' ', 'a', '"', '%', '\n');
  const texts = fc.oneof(fc.string({ unit: signs }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(texts, (text) => {
      expect(scanString(`${quoteValue(text)} AND x`)).toEqual({ text, rest: ' AND x' });
    }),
  );
});

test('a backslash before a quote ends no value', () => {
  expect(quoteValue("x\\' OR ExecutionStatus != ' -- ")).toBe("'x\\\\'' OR ExecutionStatus != '' -- '");
});
