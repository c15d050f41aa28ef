import { sh } from '../../sdk/index.js';

/**
 * A script that has apt read these sources aside, and leaves nothing behind. It fails with one line that says which of
 * them cannot be used, and why.
 */
export function checkSources({ sources, conf }: { sources: string; conf: string }): string {
  // `TMPDIR`: apt may end before it has removed the keys that it wrote to files of its own.
  return `aside=$(mktemp -d); trap 'rm -rf -- "$aside"' EXIT
cd "$aside"
export TMPDIR=$aside
mkdir -p lists/partial cache/archives/partial
${sh`printf %s ${sources}`} >provisioning.sources
${sh`printf %s ${conf}`} >apt.conf
code=0
said=$(LC_ALL=C apt-get -q -c "$aside/apt.conf" -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any -o Acquire::Retries=2 \\
  -o "Dir::Etc::sourcelist=$aside/provisioning.sources" -o Dir::Etc::sourceparts=- \\
  -o "Dir::State::lists=$aside/lists" -o "Dir::Cache=$aside/cache" update 2>&1) || code=$?
[ $code != 0 ] || exit 0
why=$(printf '%s\\n' "$said" | grep -E '^[EW]: ' | head -n 1 | cut -c 4-303)
case "$said" in
  *NO_PUBKEY*) why="it is signed by another key than Debian's: name the key of the mirror: $why" ;;
  *NOSPLIT*|*"Clearsigned file isn't valid"*) why="what answers is no archive: a web page, perhaps: $why" ;;
esac
printf 'packages cannot be fetched: %s\\n' "$why" >&2
exit 1`;
}
