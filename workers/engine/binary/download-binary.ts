import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import { inputError, messageOf } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import { buildEnvironment } from '../service/environment.js';
import { locateCachedBinary } from './build-binary.js';
import { type Binary, inspectBinary, PINNED_VERSIONS } from './version.js';

/** Time without data after which the download counts as blocked, in milliseconds. */
const STALLED_MS = 10_000;

export interface DownloadOptions {
  cache: string;
  env: NodeJS.ProcessEnv;
  /** Source of the download; default: Temporal's releases. */
  url?: string;
}

/**
 * Downloads the pinned version of the Temporal CLI into the cache, if the operator names the SHA-256 of its archive in
 * `PROVISIONING_ENGINE_SHA256`. Its content is unpacked and run only if it has that hash.
 *
 * @returns the binary, or the reason for its absence: being offline or without a hash is not an error, since the
 * engine can be built
 * @throws inputError `engine-hash` for an archive with another hash, `bad-engine-hash` for an invalid setting
 */
export async function downloadBinary(options: DownloadOptions, report: Reporter): Promise<Binary | { why: string }> {
  const { cache, env } = options;
  const platform = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const expected = hashIn(env);
  if (!expected)
    return {
      why: `Temporal ${PINNED_VERSIONS.version} for ${platform} is downloaded only with its SHA-256 in PROVISIONING_ENGINE_SHA256`,
    };
  const url =
    options.url ??
    `https://github.com/temporalio/cli/releases/download/v${PINNED_VERSIONS.version}/temporal_cli_${PINNED_VERSIONS.version}_${platform}.tar.gz`;
  await mkdir(join(cache, 'temporal'), { recursive: true });
  const folder = await mkdtemp(join(cache, 'temporal', 'download-'));
  try {
    const archive = join(folder, 'archive.tar.gz');
    try {
      await fetchTo(url, archive, report);
    } catch (error) {
      return { why: messageOf(error) };
    }
    const found = await hashOf(archive);
    if (found !== expected) throw wrongHash(url, expected, found);
    await execa('tar', ['-xzf', archive, '-C', folder, '--no-same-owner', 'temporal'], {
      env: buildEnvironment(env),
      extendEnv: false,
    });
    const binary = await inspectBinary(join(folder, 'temporal'));
    if (binary?.version !== PINNED_VERSIONS.version) return { why: `the download is not Temporal CLI ${PINNED_VERSIONS.version}` };
    const path = locateCachedBinary(cache, binary.version);
    await mkdir(dirname(path), { recursive: true });
    await rename(binary.path, path);
    return { ...binary, path };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function hashIn({ PROVISIONING_ENGINE_SHA256: given }: NodeJS.ProcessEnv): string | undefined {
  if (!given) return undefined;
  if (/^[0-9a-f]{64}$/i.test(given)) return given.toLowerCase();
  throw inputError({
    code: 'bad-engine-hash',
    what: 'read the configuration',
    on: 'PROVISIONING_ENGINE_SHA256',
    why: 'it is not a SHA-256 hash of 64 hexadecimal digits',
  });
}

async function fetchTo(url: string, file: string, report: Reporter): Promise<void> {
  const stop = new AbortController();
  const stalled = () => stop.abort(new Error(`nothing arrived for ${STALLED_MS / 1000} s`));
  let timer = setTimeout(stalled, STALLED_MS);
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      clearTimeout(timer);
      timer = setTimeout(stalled, STALLED_MS);
      size += chunk.length;
      report({ task: 'engine', text: `downloading Temporal: ${Math.round(size / 1e6)} MB`, state: 'running' });
      done(null, chunk);
    },
  });
  try {
    const answer = await fetch(url, { signal: stop.signal });
    if (!answer.ok || !answer.body) throw new Error(`${new URL(url).host} answers ${answer.status}`);
    const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
    await pipeline(body, count, createWriteStream(file, { mode: 0o600 }), { signal: stop.signal });
  } finally {
    clearTimeout(timer);
  }
}

async function hashOf(file: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(file), sum);
  return sum.digest('hex');
}

const wrongHash = (on: string, expected: string, found: string) =>
  inputError({
    code: 'engine-hash',
    what: 'download the engine',
    on,
    why: `its SHA-256 is ${found} instead of ${expected}`,
    hint: 'the download was not run; check whether PROVISIONING_ENGINE_SHA256 is the hash of this archive, or install Go to build the engine',
  });
