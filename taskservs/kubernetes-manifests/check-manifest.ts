import { LineCounter, parseAllDocuments } from 'yaml';

/** Placeholders of values, which are no YAML yet. */
const PLACE = /@([A-Z][A-Z0-9_]{0,47})@/g;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Field without which no API server takes an object. */
function missingField(thing: Record<string, unknown>): string | undefined {
  const field = ['apiVersion', 'kind'].find((name) => typeof thing[name] !== 'string' || thing[name] === '');
  if (field !== undefined || Array.isArray(thing.items)) return field;
  const { metadata } = thing;
  if (isObject(metadata) && typeof metadata.name === 'string' && metadata.name !== '') return undefined;
  return isObject(metadata) && 'generateName' in metadata
    ? 'metadata.name: generateName makes another object each time'
    : 'metadata.name';
}

/** Line of a text in which a value stands within another text. */
function findPartialValue(text: string, values: readonly string[]): string | undefined {
  const within = text
    .split('\n')
    .findIndex((line) => values.some((name) => line.includes(`@${name}@`) && !isWholeValue(line, name)));
  return within < 0 ? undefined : `line ${within + 1}: a value replaces a whole value of YAML: "password: @NAME@"`;
}

/** Documents of a text, with the number of the line of a place. Placeholders are read as words. */
function parse(text: string, values: readonly string[]) {
  const lines = new LineCounter();
  const known = text.replaceAll(PLACE, (place, name: string) => (values.includes(name) ? `v${place.slice(1, -1)}v` : place));
  const documents = parseAllDocuments(known, { lineCounter: lines, prettyErrors: false });
  return { documents: Array.isArray(documents) ? documents : [], lineOf: (at: number) => `line ${lines.linePos(at).line}` };
}

/** Returns the first fault of a text with one map of YAML; undefined for a good text. */
export function findYamlFault(text: string, values: readonly string[]): string | undefined {
  const { documents, lineOf } = parse(text, values);
  const error = documents.flatMap(({ errors }) => errors)[0];
  if (error) return `${lineOf(error.pos[0])}: it is not YAML: ${error.message}`;
  const [only, ...others] = documents.map((one): unknown => one.toJS({ maxAliasCount: 100 }));
  if (others.length > 0 || !(isObject(only) || only === null || only === undefined)) return 'it is not one map of YAML';
  return findPartialValue(text, values);
}

/**
 * Returns the first fault of a text with manifests, with its line; undefined for a good text.
 *
 * @param values names of the values that replace `@NAME@`
 */
export function findFault(text: string, values: readonly string[]): string | undefined {
  const partial = findPartialValue(text, values);
  if (partial !== undefined) return partial;
  const { documents, lineOf } = parse(text, values);
  let objects = 0;
  for (const document of documents) {
    const [error] = document.errors;
    if (error) return `${lineOf(error.pos[0])}: it is not YAML: ${error.message}`;
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) continue;
    objects++;
    const at = lineOf(document.contents?.range?.[0] ?? 0);
    if (!isObject(value)) return `${at}: a manifest is a map with apiVersion, kind and metadata`;
    const field = missingField(value);
    if (field !== undefined) return `${at}: the object has no ${field}`;
  }
  return objects === 0 ? 'it has no object' : undefined;
}

/** The placeholder is all that follows a key or a dash. */
function isWholeValue(line: string, name: string): boolean {
  return new RegExp(`^[^@]*(: |- )@${name}@[ ,}\\]]*$`).test(line.trimEnd());
}
