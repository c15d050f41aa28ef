import { Readable } from 'node:stream';
import { constants, createGunzip, createGzip } from 'node:zlib';
import * as z from 'zod';
import { inputError } from '../../../../core/errors.js';
import { LIMITS } from '../../../../core/limits.js';
import { checkRecordNames, type StoreRecord } from '../../../../stores/records.js';
import { endedOperations } from '../../../../stores/rows/ended-operations.js';
import { workspaceSummary } from '../transfer-schemas.js';
import { isOwnRecord, TAKEN_KINDS, type WorkspaceContent } from '../workspace-content.js';

/** Bytes of a line: the largest record in base64. */
const MOST_LINE = 160 * 1024 * 1024;

const head = workspaceSummary.extend({ provisioning: z.literal('workspace 2') });
const line = z.union([
  z.strictObject({ record: z.strictObject({ kind: z.enum(TAKEN_KINDS), name: z.array(z.string()), bytes: z.base64() }) }),
  z.strictObject({ ended: endedOperations.row as z.ZodType<z.output<typeof endedOperations.row>> }),
  z.strictObject({ end: z.int().min(0).describe('Number of the lines before') }),
]);

/**
 * Writes the content of a workspace as compressed lines of JSON: its summary, records, ended operations, and their
 * number. At most one record is in memory.
 *
 * @param records all of its records; those in `content` are not written
 */
export function writeContent(
  { records: _, ended, ...summary }: WorkspaceContent,
  records: AsyncIterable<StoreRecord>,
): AsyncIterable<Buffer> {
  async function* lines(): AsyncGenerator<string> {
    yield lineOf({ provisioning: 'workspace 2', ...summary });
    let count = 0;
    for await (const { kind, name, bytes } of records) {
      count++;
      yield lineOf({ record: { kind, name, bytes: bytes.toString('base64') } });
    }
    for (const row of ended) {
      count++;
      yield lineOf({ ended: row });
    }
    yield lineOf({ end: count });
  }
  const source = Readable.from(lines(), { objectMode: false });
  const zipped = createGzip({ level: constants.Z_BEST_SPEED });
  source.on('error', (error) => zipped.destroy(error));
  return source.pipe(zipped);
}

const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Reads what `writeContent` wrote, seen to have only records of its workspace, and all of them. @throws inputError `bad-export` */
export async function* readContent(
  parts: AsyncIterable<Buffer>,
  onSummary: (summary: z.output<typeof workspaceSummary>) => void,
): AsyncGenerator<{ record: StoreRecord } | { ended: z.output<typeof endedOperations.row> }> {
  let workspace: string | undefined;
  let count = 0;
  let isWhole = false;
  for await (const text of readLines(parts)) {
    if (isWhole) throw damaged('it goes on after its end');
    if (workspace === undefined) {
      const { provisioning: _, ...summary } = parse(head, text);
      workspace = summary.workspace;
      onSummary(summary);
      continue;
    }
    const read = parse(line, text);
    if ('end' in read) {
      if (read.end !== count) throw damaged('a part of its records is missing');
      isWhole = true;
      continue;
    }
    count++;
    if ('ended' in read) {
      if (read.ended.workspace !== workspace) throw damaged('an operation is of another workspace');
      yield { ended: read.ended };
      continue;
    }
    const record: StoreRecord = { ...read.record, bytes: Buffer.from(read.record.bytes, 'base64') };
    checkRecordNames(record);
    if (!isOwnRecord(workspace, record)) throw damaged(`${record.kind} ${record.name.join('/')} is of another workspace`);
    yield { record };
  }
  if (!isWhole) throw damaged('its end is missing');
}

function parse<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    // The parser's own message would quote the content.
    throw damaged('it does not have the form of an exported workspace');
  }
}

async function* readLines(parts: AsyncIterable<Buffer>): AsyncGenerator<string> {
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
        yield Buffer.concat([...waiting, chunk.subarray(from, at)]).toString('utf8');
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
