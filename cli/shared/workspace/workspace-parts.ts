import { createHash } from 'node:crypto';
import type { WorkspaceParts } from '../../../app/workspaces/transfer/transfer-schemas.js';
import { inputError, ProvisioningError, TRANSIENT } from '../../../core/errors.js';
import { sizeText } from '../../../core/limits.js';
import type { Session } from '../../program/session.js';

/** Time between two lines of progress, in milliseconds. */
const SAID_MS = 1_000;

const sum = (parts: WorkspaceParts): number => parts.reduce((size, part) => size + part.size, 0);

/** Reports the progress of a transfer of more than one part. */
function describeProgress(session: Session, verb: string, parts: WorkspaceParts) {
  const whole = sum(parts);
  let done = 0;
  let saidAt = 0;
  return (size: number) => {
    if (parts.length > 1 && Date.now() - saidAt >= SAID_MS) {
      saidAt = Date.now();
      session.note(`${verb} the workspace: ${sizeText(done)} of ${sizeText(whole)}`);
    }
    done += size;
  };
}

/**
 * Downloads the parts of an export, one at a time.
 *
 * @throws inputError `bad-export` for a part that is not the listed one, `unknown-transfer`
 */
export async function* downloadParts(
  session: Session,
  workspace: string,
  { id, parts }: { id: string; parts: WorkspaceParts },
): AsyncGenerator<Buffer> {
  const { workspaces } = await session.client();
  const progress = describeProgress(session, 'downloading', parts);
  for (const { hash, size } of parts) {
    progress(size);
    const { data } = await workspaces.part({ workspace, download: id, part: hash });
    const bytes = Buffer.from(data, 'base64');
    checkPart(workspace, bytes, { hash, size });
    yield bytes;
  }
}

/**
 * Uploads the content of an exported workspace. Parts that the platform has, of a call that was cut, are not sent.
 *
 * @returns the upload, for `workspaces.import`
 * @throws inputError `bad-export` for content that is not the listed one
 */
export async function uploadParts(
  session: Session,
  workspace: string,
  { parts, content }: { parts: WorkspaceParts; content: AsyncIterable<Uint8Array> },
): Promise<string> {
  const { workspaces } = await session.client();
  const { upload, missing } = await workspaces.upload({ workspace, parts });
  const wanted = new Set(missing);
  if (wanted.size === 0) return upload;
  const progress = describeProgress(session, 'uploading', parts);
  let at = 0;
  for await (const bytes of cutAs(workspace, content, parts)) {
    const part = parts[at++] as WorkspaceParts[number];
    progress(part.size);
    if (!wanted.delete(part.hash)) continue;
    checkPart(workspace, bytes, part);
    const data = { [part.hash]: bytes.toString('base64') };
    await workspaces.upload({ workspace, parts, data }).catch(sayHowToContinue);
  }
  return upload;
}

/** Names the way on after an upload that was cut. The hint of the error is for changes that take effect twice. */
function sayHowToContinue(error: unknown): never {
  if (!(error instanceof ProvisioningError) || error.details.blame !== TRANSIENT) throw error;
  const again = 'repeat the command: it sends only the parts that are missing';
  const { hint, code } = error.details;
  throw new ProvisioningError(
    { ...error.details, hint: code === 'answer-lost' || !hint ? again : `${hint}; then ${again}` },
    { cause: error },
  );
}

/** Cuts a stream into pieces of the sizes that are listed. @throws inputError `bad-export` for a longer stream */
async function* cutAs(on: string, content: AsyncIterable<Uint8Array>, parts: WorkspaceParts): AsyncGenerator<Buffer> {
  let [waiting, size, at]: [Uint8Array[], number, number] = [[], 0, 0];
  for await (const chunk of content) {
    waiting.push(chunk);
    size += chunk.length;
    for (let most = parts[at]?.size; most !== undefined && size >= most; most = parts[at]?.size) {
      const all = Buffer.concat(waiting);
      yield all.subarray(0, most);
      at++;
      waiting = [all.subarray(most)];
      size = all.length - most;
    }
    // The rest can have any size: none of it is kept.
    if (size > 0 && parts[at] === undefined) throw differing(on);
  }
}

function checkPart(on: string, bytes: Buffer, { hash, size }: WorkspaceParts[number]): void {
  if (bytes.length === size && createHash('sha256').update(bytes).digest('hex') === hash) return;
  throw differing(on);
}

const differing = (on: string) =>
  inputError({ code: 'bad-export', what: 'move the workspace', on, why: 'a part has another content than its list says' });
