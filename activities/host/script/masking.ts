/** Values and lines shorter than this are not masked: they stand in any text. */
const SHORTEST = 4;

/**
 * Replaces secrets in a text by `***`, for logs and errors: whole values, and each line
 * of those with several, as they are and as programs print them again: in base64, in a
 * URL, in JSON, in quotes of a shell. What is cut short is masked before it is cut.
 */
export function maskOf(values: Iterable<string>): (text: string) => string {
  const forms = new Set([...values].flatMap((value) => [value, ...value.split(/\r?\n/)]).flatMap(formsOf));
  const longestFirst = [...forms].filter((form) => form.length >= SHORTEST).sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((masked, form) => masked.replaceAll(form, '***'), text);
}

function formsOf(value: string): string[] {
  const plain = value.trim();
  if (plain.length < SHORTEST) return [];
  const bytes = Buffer.from(value);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return [
    value,
    plain,
    // Whole groups of three bytes: the rest depends on what follows, a new line for instance.
    ...(bytes.length < 6 ? [] : [whole.toString('base64'), whole.toString('base64url')]),
    encodeURIComponent(bytes.toString('utf8').trim()),
    JSON.stringify(plain).slice(1, -1),
    plain.replaceAll("'", `'\\''`),
  ];
}
