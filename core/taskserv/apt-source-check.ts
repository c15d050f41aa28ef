import { quote } from '../host/shell.js';

/** Inputs of a repository check (`AptSource`), with the expected fingerprint of its key if it is known. */
interface Checked {
  name: string;
  uri: string;
  suite: string;
  fingerprint?: string;
}

/**
 * A script that reads a repository aside, with the key of its standard input, and leaves nothing behind. It fails with
 * one line that says why the repository cannot be used.
 *
 * @param source the text of its source, whose key is `./key.asc`
 */
export function checkAptSource({ name, uri, suite, fingerprint }: Checked, source: string): string {
  // `TMPDIR`: apt may end before it has removed what it wrote to files of its own.
  return `aside=$(mktemp -d); trap 'rm -rf -- "$aside"' EXIT
cd "$aside"
cat >key.asc
refuse() { printf 'cannot use the repository %s at %s %s: %s\\n' ${quote(name)} ${quote(uri)} ${quote(suite)} "$1"; exit 1; }
${FINGERPRINT}
found=$(fingerprint) || refuse 'its key is no armored public key'
${fingerprint === undefined ? '' : `[ "$found" = ${quote(fingerprint)} ] || refuse "its key has the fingerprint $found, and "${quote(fingerprint)}" is wanted"\n`}export TMPDIR=$aside
mkdir -p lists/partial cache/archives/partial
printf %s ${quote(source)} | sed "s|^Signed-By: \\./|Signed-By: $aside/|" >${quote(`${name}.sources`)}
host=${quote(/^[a-z]+:\/\/([^/:]+)/.exec(uri)?.[1] ?? uri)}
others=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null | grep -v '^#' | grep -oE '[a-z]+://[^/ :]+' | sort -u || true)
own=$(grep -v '^#' ${quote(`/etc/apt/sources.list.d/${name}.sources`)} 2>/dev/null | grep -oE '[a-z]+://[^/ :]+' || true)
if printf '%s\\n' "$others" | grep -vxF -- "\${own:-none}" | grep -qE "://$host\\$"; then
  refuse 'other packages of this host come from there, and would be held back with it: give the mirror a name of its own'
fi
code=0
said=$(LC_ALL=C apt-get -q -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any -o Acquire::Retries=2 \\
  -o "Dir::Etc::sourcelist=$aside/"${quote(`${name}.sources`)} -o Dir::Etc::sourceparts=- \\
  -o "Dir::State::lists=$aside/lists" -o "Dir::Cache=$aside/cache" update 2>&1) || code=$?
[ $code = 0 ] && exit 0
case "$said" in
  *EXPKEYSIG*|*KEYEXPIRED*) refuse 'the key by which it is signed has expired' ;;
  *NO_PUBKEY*) refuse "it is signed by another key: $(printf '%s' "$said" | grep -oE 'NO_PUBKEY [0-9A-F]+' | head -n 1 | cut -d' ' -f2)" ;;
  *BADSIG*) refuse 'its signature is wrong' ;;
  *NOSPLIT*|*"Clearsigned file isn't valid"*|*'Unable to parse package file'*) refuse 'what it answers is no list of packages: a web page, perhaps' ;;
  *'is not signed'*) refuse 'it is not signed' ;;
  *'404 '*|*'does not have a Release file'*) refuse 'there is none: 404 Not Found' ;;
  *'is not valid yet'*|*'is expired'*) refuse 'its lists are too old, or are dated in the future: look at the clock of the host and at the mirror' ;;
esac
refuse "$(printf '%s\\n' "$said" | grep -E '^(E|W|Err)' | tail -n 1 | cut -c 1-300)"`;
}

/** Fingerprint of a key's first packet: RFC 4880, 12.2, version 4. */
const FINGERPRINT = `fingerprint() {
  sed -e '1,/^[[:space:]]*$/d' -e '/^[=-]/,$d' key.asc | base64 -d >key.bin 2>/dev/null || return 1
  [ "$(head -n 1 key.asc)" = '-----BEGIN PGP PUBLIC KEY BLOCK-----' ] || return 1
  set -- $(od -An -v -tu1 -N6 key.bin)
  case "\${1-}" in
    152) from=2 length=$2 ;;
    153) from=3 length=$(($2 * 256 + $3)) ;;
    198) if [ "$2" -lt 192 ]; then from=2 length=$2; else from=3 length=$((($2 - 192) * 256 + $3 + 192)); fi ;;
    *) return 1 ;;
  esac
  { printf '\\231'; printf "\\\\$(printf %03o $((length / 256)))\\\\$(printf %03o $((length % 256)))"; tail -c "+$((from + 1))" key.bin | head -c "$length"; } |
    sha1sum | cut -d' ' -f1 | tr a-f A-F
}`;
