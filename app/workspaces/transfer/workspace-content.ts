import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import { bundleIn, textOfRecord } from '../../../core/definition/bundle.js';
import { inputError } from '../../../core/errors.js';
import { hasEnded, type KnownInfra, replayFeed } from '../../../core/infra/feed.js';
import { isEmpty } from '../../../core/infra/inventory.js';
import { LIMITS, sizeText } from '../../../core/limits.js';
import { formatGeneratedPrefix, isGenerated } from '../../../core/taskserv/secret-reach.js';
import { unpackFeed } from '../../../stores/feeds.js';
import { checkRecordNames, type RecordKind, type StoreRecord } from '../../../stores/records.js';
import { endedOperations } from '../../../stores/rows/ended-operations.js';
import { workspaceSummary } from './transfer-schemas.js';

const [zip, unzip] = [promisify(gzip), promisify(gunzip)];

/** The kinds of records that a workspace takes along, in the order that they are written. */
export const TAKEN_KINDS = ['blob', 'key', 'secret-version', 'secret', 'feed'] as const satisfies RecordKind[];

const content = workspaceSummary.extend({
  provisioning: z.literal('workspace 1'),
  records: z.array(z.strictObject({ kind: z.enum(TAKEN_KINDS), name: z.array(z.string()), bytes: z.base64() })),
  ended: z.array(endedOperations.row as z.ZodType<z.output<typeof endedOperations.row>>),
});

/** The complete content of one workspace. Its records contain secrets. */
export interface WorkspaceContent extends Omit<z.output<typeof content>, 'provisioning' | 'records'> {
  records: StoreRecord[];
}

/** An infra of a workspace, as its feed has it. */
export interface TakenInfra {
  infra: string;
  uuid: string;
  /** The number of the last change. */
  last: number;
  known: KnownInfra;
}

/** Whether a record belongs to a workspace. Generated secrets and texts by address have the workspace in their names or heads. */
export function belongsTo(workspace: string, { kind, name, bytes }: StoreRecord): boolean {
  if (kind !== 'blob')
    return name[0] === workspace || (kind.startsWith('secret') && name[0] === '' && isGeneratedFor(workspace, name[2] ?? ''));
  const text = bytes.toString('utf8');
  return textOfRecord(workspace, text) !== undefined || bundleIn(text)?.workspace === workspace;
}

const isGeneratedFor = (workspace: string, name: string): boolean => {
  const [, , infra = ''] = name.split('/');
  return isGenerated(name) && name.startsWith(formatGeneratedPrefix({ workspace, infra }));
};

/**
 * Returns the infras whose feeds have not ended.
 *
 * @throws inputError `bad-export` for a feed of another infra than its name says
 */
export async function findInfras(workspace: string, records: readonly StoreRecord[]): Promise<TakenInfra[]> {
  const found: TakenInfra[] = [];
  for (const { kind, name, bytes } of records) {
    if (kind !== 'feed') continue;
    const [, infra = '', uuid = ''] = name;
    const feed = { uuid, entries: await unpackFeed(bytes) };
    if (hasEnded(feed)) continue;
    const known = replayFeed({ workspace, infra }, feed);
    const { inventory } = known;
    if (isEmpty(inventory) && !inventory.definition) continue;
    if (inventory.workspace !== workspace || inventory.infra !== infra || inventory.uuid !== uuid)
      throw damaged(`the feed of ${infra} is of another infra`);
    found.push({ infra, uuid, last: feed.entries.at(-1)?.sequence ?? 0, known });
  }
  return found.sort((a, b) => (a.infra < b.infra ? -1 : 1));
}

/** As text. @throws inputError `too-large` */
export async function packContent({ records, ...rest }: WorkspaceContent): Promise<string> {
  const plain = records.map(({ kind, name, bytes }) => ({ kind, name, bytes: bytes.toString('base64') }));
  const text = JSON.stringify({ provisioning: 'workspace 1', ...rest, records: plain });
  const refuse = (size: number, most: number, how: string) => {
    const why = `it has ${sizeText(size)} ${how}, at most ${sizeText(most)} are allowed`;
    return inputError({ code: 'too-large', what: 'export the workspace', on: rest.workspace, why });
  };
  const size = Buffer.byteLength(text);
  if (size > LIMITS.workspaceContent) throw refuse(size, LIMITS.workspaceContent, 'before compression');
  const data = (await zip(text)).toString('base64');
  if (data.length > LIMITS.workspace) throw refuse(data.length, LIMITS.workspace, 'after compression');
  return data;
}

/**
 * The content that `packContent` made, seen to have only records of its workspace.
 *
 * @throws inputError `bad-export`
 */
export async function unpackContent(data: string): Promise<WorkspaceContent> {
  const parsed = await unzip(Buffer.from(data, 'base64'), { maxOutputLength: LIMITS.workspaceContent })
    .then((bytes) => content.parse(JSON.parse(bytes.toString('utf8'))))
    .catch(() => {
      // The parser's own message would quote the content.
      throw damaged('it does not have the form of an exported workspace');
    });
  const { provisioning: _, records: plain, ...rest } = parsed;
  const records = plain.map(({ bytes, ...record }): StoreRecord => ({ ...record, bytes: Buffer.from(bytes, 'base64') }));
  for (const record of records) {
    checkRecordNames(record);
    if (!isOwnRecord(rest.workspace, record)) throw damaged(`${record.kind} ${record.name.join('/')} is of another workspace`);
  }
  if (rest.ended.some(({ workspace }) => workspace !== rest.workspace)) throw damaged('an operation is of another workspace');
  return { ...rest, records };
}

/** Whether a record from outside belongs to a workspace. A text that is no bundle does not. */
export const isOwnRecord = (workspace: string, record: StoreRecord): boolean => {
  try {
    return belongsTo(workspace, record);
  } catch {
    return false;
  }
};

const damaged = (why: string) => inputError({ code: 'bad-export', what: 'import the workspace', why });
