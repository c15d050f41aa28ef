import { releasesOf } from '../../core/versions/release-versions.js';
import type { TaskservDescription } from '../../definition/description/describe-taskserv.js';
import type { ExampleDefinition } from '../../definition/description/example.js';
import type { FieldDescription } from '../../definition/description/fields.js';
import { columns as inColumns, type Paint } from '../program/screen.js';

interface Look {
  paint: Paint;
  /** Width of the screen. */
  columns: number;
}

/** Maximum width of lines. Wider lines are hard to read. */
const WIDEST = 100;
/** Maximum characters of a default; `--json` shows all of it. */
const LONGEST_DEFAULT = 60;
/** Maximum characters of a list on a single line of an example. */
const SHORT_LIST = 40;

/** Renders a taskserv for its users. */
export async function taskservText(taskserv: TaskservDescription, look: Look): Promise<string> {
  const { paint } = look;
  const { name, description, fields, example } = taskserv;
  const width = Math.min(look.columns, WIDEST);
  const head = (title: string): string => paint('dim', title);
  return [
    `${paint('bold', name)}: ${description}`,
    '',
    ...inColumns(factsOf(taskserv).map(([title, text]) => [head(title), text])),
    '',
    head(fields.length > 0 ? 'Fields of config:' : 'It has no configuration.'),
    ...fields.flatMap((field) => fieldLines(field, { paint, columns: width })),
    '',
    head('Example, a whole definition:'),
    ...indented(await exampleText(example)),
    '',
    `JSON Schema, for editors: provisioning schema --taskserv ${name}`,
    '',
  ].join('\n');
}

function factsOf({ category, versions, supports, requires, after, conflicts, uses, endpoints }: TaskservDescription) {
  const list = (names: readonly string[], none = 'nothing'): string => names.join(', ') || none;
  const versionTexts = versions.supported.map((version) => {
    const releases = releasesOf(versions, version);
    if (releases.length > 0) return `${version} (${releases.join(', ')})`;
    return version === versions.default ? `${version} (default)` : version;
  });
  const listens = endpoints?.map(({ name, port, protocol, path, local }) =>
    [name, `${port}/${protocol ?? 'tcp'}`, path, local && '(from its own server only)'].filter(Boolean).join(' '),
  );
  return [
    ['Category', category],
    ['Versions', `${versionTexts.join(', ')}, from ${versions.source}`],
    ['Runs on', `${list(supports.os)} (${list(supports.arch)})`],
    ['Requires', `${list(requires)}${requires.length > 0 ? ', on the same server: added where it is missing' : ''}`],
    ['Comes after', `${list(after)}${after.length > 0 ? ', where a definition has it' : ''}`],
    ['Conflicts with', `${list(conflicts)}${conflicts.length > 0 ? ', on the same server' : ''}`],
    ['Looks up', uses ? list(uses.map((endpoint) => `endpoints "${endpoint}" of other servers`)) : 'any endpoint of other servers'],
    ['Endpoints', listens ? `${list(listens)}${listens.length > 0 ? ', by default' : ''}` : 'as it is configured'],
  ] as const;
}

function fieldLines({ path, type, description, required, default: preset, secret }: FieldDescription, look: Look): string[] {
  const { paint, columns } = look;
  const more = required ? 'required' : preset === undefined ? 'optional' : `default: ${valueText(preset)}`;
  const about = secret ? `${description}. Written as { secret: NAME } or { generate: password }` : description;
  const kind = `${type}; ${more}`;
  const isShort = path.length + kind.length + 4 <= columns;
  const below = (text: string): string[] => wrapped(text, columns - 6).map((line) => `      ${line}`);
  return [
    `  ${paint('bold', path)}${isShort ? `  ${paint('dim', kind)}` : ''}`,
    ...(isShort ? [] : below(kind).map((line) => paint('dim', line))),
    ...below(about),
  ];
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' && /^\S+( \S+)*$/.test(value) ? value : JSON.stringify(value);
  return text.length > LONGEST_DEFAULT ? `${text.slice(0, LONGEST_DEFAULT)}…` : text;
}

/** Wraps a text to a width in characters. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Renders a definition in YAML, with small maps and lists on a single line. */
async function exampleText(example: ExampleDefinition): Promise<string> {
  const { Document, isScalar, visit } = await import('yaml');
  const document = new Document(example);
  visit(document, {
    Map(_, map) {
      if (map !== document.contents && map.items.length <= 3 && map.items.every(({ value }) => isScalar(value))) map.flow = true;
    },
    Seq(_, list) {
      if (list.items.every(isScalar) && JSON.stringify(list).length <= SHORT_LIST) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
}

const indented = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
