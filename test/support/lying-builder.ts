import { createHash, randomBytes } from 'node:crypto';
import { hostFiles } from '../../activities/host/script/host-files.js';
import type { ScriptedHost } from '../../activities/host/script/scripted-host.js';
import { type ActInput, createBring } from '../../activities/service/bring.js';
import { ARTIFACT_PART } from '../../core/host/artifact.js';
import { activityEnvironment } from './activity-environment.js';
import { putThere } from './artifact-victim.js';
import { archiveOf } from './hostile-archives.js';
import type { ShellHost } from './shell-host.js';

const PATH = '/var/lib/app-build/shop/k/release.tar.gz';

/** Manipulation by root of a building host that tries to give other hosts a different file, and its expected result. */
export interface Lie {
  title: string;
  /** Bash that root of the building host runs before the copy. `$file` is the build. */
  script: string;
  said: RegExp;
}

const NO_FILE = /has no file of at most 2048 MiB with a SHA-256/;
const OTHER_LENGTH = /sent \d+ bytes of .* instead of \d+/;
const OTHER_HASH = /came with the SHA-256 [0-9a-f]{64}, and [0-9a-f]{64} is wanted/;

/** Returns bash that replaces a system program with one of the building host's root. */
const instead = (program: string, script: string): string =>
  `printf '#!/bin/bash\\n%s\\n' ${`'${script.replaceAll("'", "'\\''")}'`} >/usr/local/sbin/${program}; chmod 0755 /usr/local/sbin/${program}`;
const lie = (title: string, script: string, said: RegExp): Lie => ({ title, script, said });
const says = (size: string): string => instead('stat', `echo '${size}'`);

/** All manipulations. Add a line here for a new kind. */
export const LIES: readonly Lie[] = [
  lie('a size of 1 TiB', says('1099511627776'), NO_FILE),
  ...['NaN', '-1', '0', '1.5', '', '9'.repeat(30), '$(touch /etc/prize)'].map((size) =>
    lie(`the size "${size}"`, says(size), NO_FILE),
  ),
  lie('a size that is too large by a part', instead('stat', `echo $(( $(/usr/bin/stat "$@") + ${ARTIFACT_PART} ))`), OTHER_LENGTH),
  lie('a size that is too small', instead('stat', 'echo 100'), OTHER_LENGTH),
  lie('a size beside the hash', `{ cat "$file.sha256"; echo 100; } >x; mv x "$file.sha256"`, OTHER_LENGTH),
  lie('no hash', `: >"$file.sha256"`, NO_FILE),
  lie('a hash that is a command', `echo '$(touch /etc/prize)' >"$file.sha256"`, NO_FILE),
  lie('a hash that is a link', `ln -sfn /etc/shadow "$file.sha256"`, NO_FILE),
  lie('the hash of another file', `sha256sum </etc/passwd | cut -d ' ' -f 1 >"$file.sha256"`, OTHER_HASH),
  lie('another file once it is read', instead('dd', `head -c $(/usr/bin/stat -c %s ${PATH}) /dev/zero`), OTHER_HASH),
  lie('a stream that ends early', instead('dd', '/usr/bin/dd "$@" | head -c 100'), OTHER_LENGTH),
  lie('a stream that is empty', instead('dd', ':'), OTHER_LENGTH),
  lie('a stream of 12 MiB for a part', instead('dd', 'head -c 12582912 /dev/zero'), OTHER_LENGTH),
  lie('a stream that is no base64', instead('base64', `echo "END_OF_PART"; echo 'touch /etc/prize'`), OTHER_LENGTH),
  lie('a link in its place', `ln -sfn /etc/shadow "$file"`, /cannot be copied|sent \d+ bytes/),
  lie('a pipe in its place', `rm "$file"; mkfifo "$file"`, NO_FILE),
  lie('nothing in its place', `rm "$file"`, /cannot be copied: .*No such file/),
];

let count = 0;

/**
 * Copies the build of one host to another and runs the step that installs it.
 *
 * @param archive the build.
 * @param script bash that root of the building host runs before the copy.
 * @returns the result of the step, or `refused` with the reason if it did not start
 */
export async function bringBuild(builder: ShellHost, host: ShellHost, archive: Buffer, script = ':') {
  count += 1;
  const text = archive.toString('base64').replace(/(.{76})/g, '$1\n');
  await builder.shell(`rm -f /usr/local/sbin/*; file=${PATH}; mkdir -p "$(dirname "$file")"; cd /root; rm -f "$file" "$file.sha256"
base64 -d >"$file" <<'END'\n${text}\nEND
sha256sum <"$file" | cut -d ' ' -f 1 >"$file.sha256"
${script}`);
  const files = (server: string) =>
    hostFiles({ server, open: async () => (server === 'builder' ? builder : host).transport } as unknown as ScriptedHost);
  const hostOf = ({ server }: { server: string }) => ({ files: files(server) });
  const bring = createBring({ hostOf, blobs: {}, artifacts: {} } as never);
  const artifact = {
    state: 'present' as const,
    url: 'the build of ./repo',
    sha256: createHash('sha256').update(`key ${count}`).digest('hex'),
    from: { server: 'builder', path: PATH },
    to: `/opt/app-shop/built-${count}`,
    unpack: 'tar' as const,
  };
  const steps = [{ title: 'Deploy', artifact }];
  const input = { server: 'web', taskserv: 'app', steps, others: { builder: {} }, scope: {} } as unknown as ActInput;
  try {
    await activityEnvironment({ heartbeatTimeoutMs: 60_000 }).run(bring, input);
  } catch (error) {
    return { how: 'refused', said: String(error), to: artifact.to };
  }
  const { how, said } = await putThere(host, artifact);
  return { how, said, to: artifact.to };
}

/** Returns a valid build, larger than one part, so that it is copied in several parts. */
export const honestBuild = (): Buffer => archiveOf([{ name: 'noise', text: randomBytes(2 * ARTIFACT_PART).toString('base64') }]);
