import { Context, cancellationSignal } from '@temporalio/activity';
import { textOfRecord } from '../../core/definition/bundle.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { ARTIFACT_PART, type ArtifactAction, type BroughtFrom } from '../../core/host/artifact.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import type { ArtifactCache } from '../artifacts/artifact-cache.js';
import { beatWhile } from '../beating.js';
import type { Dependencies } from '../dependencies.js';
import type { HostFiles, HostOf, HostRef, Work } from '../host/host.js';
import { beat } from '../worked-time.js';
import type { GroupAt } from './pool-groups.js';

/** The steps of one unit, and the host that they are for. */
export interface ActInput extends HostRef, Omit<Work, 'shares'> {
  /** The hosts that its steps have files from, by server. */
  others?: Record<string, Pick<HostRef, 'provider' | 'connection'>>;
  /** The group whose shares its steps refer to. */
  groups?: readonly GroupAt[];
  /** The server of the member that the steps take out of that group. */
  leaving?: string;
}

/** A file, part by part. */
interface Parts {
  count: number;
  read(part: number): Promise<Buffer>;
  /** SHA-256 of the whole, where the artifact does not say it. */
  sha256?: string;
}

type Brought = { title: string; artifact: ArtifactAction };

/**
 * Delivers files to a host that steps need and the host cannot fetch: files of the definition, files that another host
 * made, and files that the worker fetches for it. Until the step takes them, they are next to the host's own
 * downloads, by hash. Parts of an earlier attempt are not delivered again.
 */
export function createBring({
  hostOf,
  blobs,
  artifacts,
  needsPublicAddresses = async () => false,
}: { hostOf: HostOf } & Pick<Dependencies, 'blobs' | 'artifacts' | 'needsPublicAddresses'>) {
  return async function bring(input: ActInput): Promise<void> {
    const { files } = hostOf(input);
    const wanted = input.steps.flatMap((step) =>
      'artifact' in step && step.artifact.from ? [{ title: step.title, artifact: step.artifact, from: step.artifact.from }] : [],
    );
    if (!files || wanted.length === 0) return;
    await beatWhile(async () => {
      for (const { title, artifact, from } of wanted) {
        const there = await files.come(artifact);
        if (there === undefined) continue;
        if ('url' in from) {
          const onlyPublic = await needsPublicAddresses(input.scope.workspace);
          await fetchedParts({ artifacts, onlyPublic }, input, { title, artifact }, from.url, (parts) =>
            copy(files, artifact, parts, { ...input, title, there }),
          );
          continue;
        }
        const parts = 'kept' in from ? keptParts(input, artifact, from.kept) : await partsOn(hostOf, input, artifact, from);
        await copy(files, artifact, parts, { ...input, title, there }).catch(async (error: unknown) => {
          // A part is not what it was said to be: what came before it is worth nothing.
          if (error instanceof ProvisioningError && error.details.code === 'source-missing') await files.drop(artifact);
          throw error;
        });
        // Last: nothing is left beside a file of which no part has come.
        if (parts.sha256) await files.expect(artifact, parts.sha256);
      }
    });
  };

  function keptParts({ scope: { workspace } }: ActInput, { url }: ArtifactAction, kept: readonly string[]): Parts {
    return {
      count: kept.length,
      async read(part) {
        const address = kept[part] ?? '';
        // The workspace is part of what is kept: a definition of another one, which knows the address, reads nothing.
        const text = (await blobs.has(address)) ? textOfRecord(workspace, await blobs.get(address)) : undefined;
        if (text !== undefined) return Buffer.from(text, 'base64');
        throw inputError({
          code: 'source-missing',
          what: 'bring the source to the host',
          on: url,
          why: `this worker does not have part ${part + 1} of it in the workspace "${workspace}"`,
          hint: 'apply the definition again from its file',
        });
      },
    };
  }
}

/**
 * Parts of a file that another host built. That host is not trusted: its description of the file must be plausible,
 * and each part must match it.
 */
async function partsOn(
  hostOf: HostOf,
  input: ActInput,
  { url }: ArtifactAction,
  { server, path }: Extract<BroughtFrom, { server: string }>,
): Promise<Parts> {
  const reached = server === input.server ? input : input.others?.[server];
  const files = reached && hostOf({ ...reached, scope: input.scope, server }).files;
  if (!files)
    throw inputError({
      code: 'source-missing',
      what: 'bring the build to the host',
      on: url,
      why: `the server ${server}, which has the build, is not part of this operation`,
      hint: 'apply the whole definition',
    });
  const { sha256, size } = await files.describe(path);
  // The host that built is not trusted with the disks of the others.
  if (!/^[0-9a-f]{64}$/.test(sha256) || !Number.isSafeInteger(size) || size < 1 || size > LIMITS.artifact)
    throw inputError({
      code: 'source-missing',
      what: 'bring the build to the host',
      on: url,
      why: `the server ${server} has no file of at most ${sizeText(LIMITS.artifact)} with a SHA-256 at ${path}`,
      hint: `make the build smaller, or remove the folder of ${path} there and apply again`,
    });
  return {
    sha256,
    count: Math.ceil(size / ARTIFACT_PART),
    async read(part) {
      const bytes = await files.read(path, part);
      const wanted = Math.min(ARTIFACT_PART, size - part * ARTIFACT_PART);
      if (bytes.length === wanted) return bytes;
      throw inputError({
        code: 'source-missing',
        what: 'bring the build to the host',
        on: url,
        why: `the server ${server} sent ${bytes.length} bytes of ${path} instead of ${wanted}`,
        hint: `remove the folder of ${path} there and apply again`,
      });
    },
  };
}

/** Makes the worker fetch a missing file, and reports the progress. */
async function fetchedParts(
  { artifacts, onlyPublic }: { artifacts: ArtifactCache; onlyPublic: boolean },
  { server, taskserv, steps }: ActInput,
  { title, artifact: { sha256 } }: Brought,
  url: string,
  use: (parts: Parts) => Promise<void>,
): Promise<void> {
  // The activity that reports the progress may belong to another host.
  const context = Context.current();
  const signal = cancellationSignal();
  const onProgress = (done: number, total?: number) => {
    const line = `the worker fetches it: ${total ? `${Math.floor((100 * done) / total)} %` : sizeText(done)}`;
    beat({ server, taskserv, step: title, done: 0, total: steps.length, line }, context);
  };
  try {
    await artifacts.use({ url, sha256 }, { signal, onProgress, onlyPublic }, ({ size, read }) =>
      use({ count: Math.ceil(size / ARTIFACT_PART), read }),
    );
  } catch (error) {
    // Ends with the activity's own failure.
    if (signal.aborted) await context.cancelled;
    throw error;
  }
}

async function copy(
  files: HostFiles,
  artifact: ArtifactAction,
  { count, read }: Parts,
  { server, taskserv, title, steps, there }: ActInput & { title: string; there: number },
): Promise<void> {
  for (let part = Math.min(there, count); part < count; part++) {
    // Ends with the activity's own failure.
    if (cancellationSignal().aborted) await Context.current().cancelled;
    beat({ server, taskserv, step: title, done: 0, total: steps.length, line: `${Math.round((100 * part) / count)} % have come` });
    await files.append(artifact, part, await read(part));
  }
}
