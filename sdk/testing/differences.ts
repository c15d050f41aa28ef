/** Difference between two JSON values. A value that is missing on one side is undefined there. */
export interface Difference {
  /** `steps[1].file.lines[3]` */
  at: string;
  expected: unknown;
  actual: unknown;
}

/** Returns all differences, each at the innermost place. */
export function differences(expected: unknown, actual: unknown, at: string): Difference[] {
  if (Object.is(expected, actual)) return [];
  if (Array.isArray(expected) && Array.isArray(actual))
    return Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) => index).flatMap((index) =>
      differences(expected[index], actual[index], `${at}[${index}]`),
    );
  if (isRecord(expected) && isRecord(actual))
    return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) =>
      differences(expected[key], actual[key], `${at}.${key}`),
    );
  return [{ at, expected, actual }];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
