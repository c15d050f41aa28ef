import { APT } from '../../../core/host/apt.js';
import { type ArtifactAction, howOf, isFetched } from '../../../core/host/artifact.js';
import { MARK_OF, markBeside } from '../../../core/host/artifact-marks.js';
import { splitPath } from '../../../core/host/host-paths.js';
import { quote } from '../../../core/host/shell.js';
import { HOST_STATE } from '../paths.js';
import { unpackBody } from './unpack-scripts.js';

/** Folder of incomplete downloads. Only root can enter it. A file's name is its expected hash. */
export const DOWNLOADS = `${HOST_STATE}/downloads`;

/** Seconds between two lines that say how much has come. */
const PROGRESS_S = 5;

/** Does what the step says. `former` is where it notes what it changed, for the undo. */
export function artifactBody(artifact: ArtifactAction, former: string): string {
  if (artifact.state === 'present') return `${MARK_OF}\n${put(artifact, `touch ${former}.put`)}`;
  const note = `touch ${former}.taken`;
  return `${MARK_OF}\n${isFetched(artifact) ? takeAway(artifact, note) : setAside(artifact, note, former)}`;
}

/** Undoes what it did: takes away what it put there, fetches again what it took away, or moves it in from aside. */
export function artifactUndo(artifact: ArtifactAction, former: string): string {
  if (artifact.state === 'present') return `[ -e ${former}.put ] || return 0\n${MARK_OF}\n${takeAway(artifact, ':')}`;
  return `[ -e ${former}.taken ] || return 0\n${MARK_OF}\n${isFetched(artifact) ? put(artifact, ':') : fromAside(artifact, former)}`;
}

/**
 * Fetches an artifact and puts it into its folder atomically.
 *
 * It uses apt's own client, which each host has. The client continues a partial file, and uses the proxies and
 * certificates of the host's packages.
 */
function put(artifact: ArtifactAction, note: string): string {
  const { folder, name } = splitPath(artifact.to);
  return `other() {
  local mark sha256
  if mark=$(mark_of "$1") && sha256=$(head -c 65 -- "$mark" | grep -xE '[0-9a-f]{64}'); then echo "the artifact there has the SHA-256 $sha256"
  else echo 'something else is there'; fi
}
enter_dir ${quote(folder)} make
${isThere(artifact)} && return 0
if [ -e ${quote(`./${name}`)} ] || [ -L ${quote(`./${name}`)} ]; then refuse_path ${quote(artifact.to)} "$(other ${quote(`./${name}`)})"; exit 1; fi
${fetched(artifact)}
${note}
enter_stage
mkdir new
${unpacked(artifact)}
${marked(artifact)}
mv -fT -- new ${quote(`../${name}`)}
leave_stage
rm -f -- "$part" "$part.sha256"`;
}

/** The folder around it is removed, too, if it is empty then. */
function takeAway(artifact: ArtifactAction, note: string, how?: string): string {
  const { folder, name } = splitPath(artifact.to);
  return `enter_dir ${quote(folder)} || { [ $? = 3 ] && return 0; exit 1; }
if ${isThere(artifact)}; then
${note}
${how ?? `rm -rf -- ${quote(`./${name}`)}`}
rm -f -- ${quote(`./${markBeside(name)}`)}
fi
cd / && rmdir --ignore-fail-on-non-empty -- ${quote(folder)}`;
}

/**
 * Moves an artifact that no host can fetch again into the journal, until another operation removes such an artifact. A
 * host therefore keeps at most those that one operation removed.
 */
function setAside(artifact: ArtifactAction, note: string, former: string): string {
  const { name } = splitPath(artifact.to);
  const aside = `rm -rf -- ${former}.folder
find ${HOST_STATE}/operations -mindepth 5 -maxdepth 5 -type d -path '*/former/*.folder' ! -path "\${J%/*/*}/*" -prune -exec rm -rf -- {} +
mv -T -- ${quote(`./${name}`)} ${former}.folder`;
  return takeAway(artifact, note, aside);
}

function fromAside(artifact: ArtifactAction, former: string): string {
  const { folder, name } = splitPath(artifact.to);
  return `enter_dir ${quote(folder)} make
${isThere(artifact)} && return 0
if [ ! -d ${former}.folder ]; then printf '%s was removed for good by a later operation\\n' ${quote(artifact.to)}; exit 1; fi
enter_stage
${marked(artifact)}
leave_stage
mv -T -- ${former}.folder ${quote(`./${name}`)}`;
}

/** Bash that holds where the artifact is in its folder; it is run in the folder around that. */
const isThere = ({ to, sha256 }: ArtifactAction): string =>
  `[ "$(mark=$(mark_of ${quote(`./${splitPath(to).name}`)}) && head -n 1 -- "$mark")" = ${quote(sha256)} ]`;

/** Writes the mark of the artifact, from a stage. It comes before its folder: a mark without a folder counts for nothing. */
const marked = (
  artifact: ArtifactAction,
): string => `printf '%s\\n' ${quote(artifact.sha256)} ${quote(artifact.url)} ${quote(howOf(artifact))} >mark
mv -fT -- mark ${quote(`../${markBeside(splitPath(artifact.to).name)}`)}`;

/** Sets `part`: what the worker has brought before the first step, whose hash is right. */
function brought({ url, sha256, from }: ArtifactAction): string {
  const wanted = from && 'server' in from ? '"$(cat "$part.sha256")"' : quote(sha256);
  return `part=${quote(`${DOWNLOADS}/${sha256}`)}
if [ ! -f "$part" ]; then printf 'the worker has not brought %s\\n' ${quote(url)}; exit 1; fi
found=$(sha256sum <"$part"); found=\${found%% *}
wanted=${wanted}
if [ "$found" != "$wanted" ]; then
  rm -f -- "$part" "$part.sha256"
  printf '%s came with the SHA-256 %s, and %s is wanted\\n' ${quote(url)} "$found" "$wanted"
  exit 1
fi`;
}

/** Sets `part`: the file, whose hash is right. */
function fetched(artifact: ArtifactAction): string {
  if (artifact.from) return brought(artifact);
  const { url, sha256 } = artifact;
  const certificates = url.startsWith('https:')
    ? `[ -e /etc/ssl/certs/ca-certificates.crt ] || ${APT} install --no-install-recommends ca-certificates\n`
    : '';
  return `install -d -m 0700 ${DOWNLOADS}
part=${quote(`${DOWNLOADS}/${sha256}`)}
${certificates}( while sleep ${PROGRESS_S} && kill -0 $$; do [ ! -e "$part" ] || echo "$(($(stat -c %s "$part") / 1048576)) MiB are there"; done ) 2>/dev/null &
progress=$!
code=0
said=$(/usr/lib/apt/apt-helper -o APT::Sandbox::User=root -o Acquire::Retries=2 download-file ${quote(url)} "$part" 2>&1) || code=$?
kill $progress 2>/dev/null || true
if [ $code != 0 ]; then
  printf '%s\\n' "$said" | grep '^[EW]:' || printf '%s\\n' "$said"
  printf 'cannot fetch %s\\n' ${quote(url)}
  exit 1
fi
found=$(sha256sum <"$part"); found=\${found%% *}
if [ "$found" != ${quote(sha256)} ]; then
  page=; if head -c 512 "$part" | grep -qiE '<(!doctype|html)'; then page=', but a web page'; fi
  rm -f -- "$part"
  printf '%s answers something else than the artifact%s: the SHA-256 is %s, and %s is wanted\\n' ${quote(url)} "$page" "$found" ${quote(sha256)}
  exit 1
fi`;
}

/** Puts what `part` holds into `new`. */
function unpacked({ url, unpack, strip = 0, as = 'file' }: ArtifactAction): string {
  if (unpack === 'tar') return unpackBody(url, strip);
  return `install -m 0755 -- "$part" ${quote(`new/${as}`)}`;
}
