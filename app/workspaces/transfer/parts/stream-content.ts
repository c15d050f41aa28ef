import { Readable } from 'node:stream';
import { constants, createGunzip, createGzip } from 'node:zlib';
import * as z from 'zod';
import { inputError } from '../../../../core/errors.js';
import { LIMITS, sizeText } from '../../../../core/limits.js';
import { checkRecordNames, type StoreRecord } from '../../../../stores/records.js';
import { endedOperations } from '../../../../stores/rows/ended-operations.js';
import { workspaceSummary } from '../transfer-schemas.js';
import { isOwnRecord, TAKEN_KINDS, type WorkspaceContent } from '../workspace-content.js';

/** Bytes of a line: the largest record in base64. */
const MOST_LINE = 160 * 1024 * 1024;
/** Bytes of a line that is parsed as a whole. A longer one is a long text in base64 with little before it. */
const MOST_PARSED = 1024 * 1024;
/** Bytes of the first line, which lists the infras. */
const MOST_HEAD = 8 * MOST_PARSED;
/** Bytes of a longer line before its text: the names of a record, escaped. */
const MOST_START = 8 * 1024;
/** Bytes that a line takes in memory besides its content. */
const LINE_COST = 512;

/** End of a line that ends with a text. */
const CLOSE = Buffer.from('"}}');
const FORM = 'it does not have the form of an exported workspace';

const head = workspaceSummary.extend({ provisioning: z.literal('workspace 2') });
const line = z.union([
  z.strictObject({ record: z.strictObject({ kind: z.enum(TAKEN_KINDS), name: z.array(z.string()).max(4), bytes: z.base64() }) }),
  z.strictObject({ ended: endedOperations.row as z.ZodType<z.output<typeof endedOperations.row>> }),
  z.strictObject({ end: z.int().min(0).describe('Number of the lines before') }),
]);

/**
 * Writes the content of a workspace as compressed lines of JSON: its summary, records, ended operations, and their
 * number. At most one record is in memory.
 *
 * @param records all of its records; those in `content` are not written
 * @param most bytes of lines that an import has in memory
 * @throws inputError `too-large` for more than an import takes
 */
export function writeContent(
  { records: _, ended, ...summary }: WorkspaceContent,
  records: AsyncIterable<StoreRecord>,
  most: number = LIMITS.workspaceContent,
): AsyncIterable<Buffer> {
  async function* lines(): AsyncGenerator<string> {
    const weigh = createWeigher(most, (why) =>
      inputError({ code: 'too-large', what: 'export the workspace', on: summary.workspace, why }),
    );
    const first = lineOf({ provisioning: 'workspace 2', ...summary });
    weigh(first);
    yield first;
    let count = 0;
    for await (const { kind, name, bytes } of records) {
      count++;
      const text = lineOf({ record: { kind, name, bytes: bytes.toString('base64') } });
      if (kind !== 'blob') weigh(text);
      yield text;
    }
    for (const { progress, ...row } of ended) {
      count++;
      const text = lineOf({ ended: { ...row, progress } });
      weigh(text);
      yield text;
    }
    yield lineOf({ end: count });
  }
  const source = Readable.from(lines(), { objectMode: false });
  const zipped = createGzip({ level: constants.Z_BEST_SPEED });
  source.on('error', (error) => zipped.destroy(error));
  return source.pipe(zipped);
}

/** Returns a function that counts a line that an import has in memory. It throws if all of them are too large. */
function createWeigher(most: number, refuse: (why: string) => Error): (line: string | Buffer) => void {
  let whole = 0;
  return (text) => {
    whole += Buffer.byteLength(text) + LINE_COST;
    if (whole > most) throw refuse(`apart from its texts by address, it has more than ${sizeText(most)}`);
  };
}

const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`;

/**
 * Reads what `writeContent` wrote, seen to have only records of its workspace, and all of them.
 *
 * @param most bytes of all that is no text by address: its reader has that in memory
 * @throws inputError `bad-export`
 */
export async function* readContent(
  parts: AsyncIterable<Buffer>,
  onSummary: (summary: z.output<typeof workspaceSummary>) => void,
  most: number = LIMITS.workspaceContent,
): AsyncGenerator<{ record: StoreRecord } | { ended: z.output<typeof endedOperations.row> }> {
  const weigh = createWeigher(most, damaged);
  let workspace: string | undefined;
  let count = 0;
  let isWhole = false;
  for await (const text of readLines(parts)) {
    if (isWhole) throw damaged('it goes on after its end');
    if (workspace === undefined) {
      const { provisioning: _, ...summary } = parse(head, text, MOST_HEAD);
      weigh(text);
      workspace = summary.workspace;
      onSummary(summary);
      continue;
    }
    const read = parseLine(text);
    if ('end' in read) {
      if (read.end !== count) throw damaged('a part of its records is missing');
      isWhole = true;
      continue;
    }
    count++;
    if ('ended' in read) {
      weigh(text);
      if (read.ended.workspace !== workspace) throw damaged('an operation is of another workspace');
      yield { ended: read.ended };
      continue;
    }
    const { record } = read;
    if (record.kind !== 'blob') weigh(text);
    checkRecordNames(record);
    if (!isOwnRecord(workspace, record)) throw damaged(`${record.kind} ${record.name.join('/')} is of another workspace`);
    yield { record };
  }
  if (!isWhole) throw damaged('its end is missing');
}

/**
 * Parses a line. The text of a long one is taken from it before: parsed as JSON, what is no text could take many times
 * its size.
 */
function parseLine(text: Buffer): { record: StoreRecord } | { ended: z.output<typeof endedOperations.row> } | { end: number } {
  if (text.length <= MOST_PARSED) {
    const read = parse(line, text);
    return 'record' in read ? { record: { ...read.record, bytes: Buffer.from(read.record.bytes, 'base64') } } : read;
  }
  const start = text.subarray(0, MOST_START).toString('utf8');
  const [before = ''] = /^.*?"(?:bytes|progress)":"/.exec(start) ?? [];
  const at = Buffer.byteLength(before);
  if (at === 0 || !text.subarray(-CLOSE.length).equals(CLOSE)) throw damaged(FORM);
  const value = text.subarray(at, -CLOSE.length).toString('latin1');
  const bytes = Buffer.from(value, 'base64');
  // The decoder skips what is no base64.
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  if (bytes.length !== (value.length / 4) * 3 - padding) throw damaged(FORM);
  const read = parse(line, Buffer.from(`${before}${CLOSE}`));
  if ('record' in read) return { record: { ...read.record, bytes } };
  if ('ended' in read) return { ended: { ...read.ended, progress: value } };
  throw damaged(FORM);
}

function parse<T>(schema: z.ZodType<T>, text: Buffer, most = MOST_PARSED): T {
  if (text.length > most) throw damaged(FORM);
  try {
    return schema.parse(JSON.parse(text.toString('utf8')));
  } catch {
    // The parser's own message would quote the content.
    throw damaged(FORM);
  }
}

async function* readLines(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(parts, { objectMode: false });
  const unzipped = createGunzip();
  let failure: unknown;
  source.on('error', (error) => {
    failure = error;
    unzipped.destroy(error);
  });
  source.pipe(unzipped);
  let waiting: Buffer[] = [];
  let size = 0;
  let whole = 0;
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      whole += chunk.length;
      if (whole > LIMITS.workspaceTransferContent) throw damaged('it is larger than an exported workspace can be');
      let from = 0;
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
        yield Buffer.concat([...waiting, chunk.subarray(from, at)]);
        waiting = [];
        size = 0;
        from = at + 1;
      }
      waiting.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > MOST_LINE) throw damaged('one of its records is too large');
    }
  } catch (error) {
    if (failure) throw failure;
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw damaged('it is not compressed as an export is');
    throw error;
  } finally {
    source.destroy();
    unzipped.destroy();
  }
  if (size > 0) throw damaged('its last line is cut');
}

const damaged = (why: string) => inputError({ code: 'bad-export', what: 'import the workspace', why });
