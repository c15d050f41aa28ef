import { quote } from '../../../core/host/shell.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';

/** Seconds that a check over HTTP may take. */
const HTTP_SECONDS = 5;

/** Bytes of an answer that are looked at: its last ones. */
const ANSWER_BYTES = 65_536;

/** An address or a name that the shell itself can connect to, and a path that needs no encoding. */
const PLAIN = /^http:\/\/([a-z\d](?:[a-z\d.-]*[a-z\d])?)(?::(\d{1,5}))?(\/[\w./?=&:,%~-]*)?$/i;

const hasPlain = (check: HealthCheck): boolean => 'http' in check && PLAIN.test(check.http);

/**
 * Requests a page with the shell's own connection, which costs a quarter of starting curl. It prints the line with the
 * status, an empty line, and the end of the body. A body without a length ends with the connection. It fails if the
 * answer is more complicated: then curl repeats the request.
 */
const PLAIN_HTTP = `plain_http() {
  local host="$1" first header size body end=$((SECONDS + ${HTTP_SECONDS}))
  [ "$2" = 80 ] || host="$1:$2"
  line() { (( SECONDS < end )) && IFS= read -r -t $((end - SECONDS)) "$1" <&3; }
  exec 3<>"/dev/tcp/$1/$2" && printf 'GET %s HTTP/1.0\\r\\nHost: %s\\r\\nUser-Agent: provisioning\\r\\nAccept: */*\\r\\n\\r\\n' "$3" "$host" >&3 &&
    line first && [[ "$first" == HTTP/1.[01]' '[0-9][0-9][0-9]* ]] || return
  while line header || return; do
    case "\${header,,}" in
      '' | $'\\r') break ;;
      transfer-encoding:*) return 1 ;;
      content-length:*) size="\${header//[!0-9]/}" ;;
    esac
  done
  (( SECONDS < end )) && printf '%s\\n\\n' "$first" || return
  # These have no body, whatever the connection does then. A short body is read without starting a process.
  if [[ "$first" == HTTP/1.[01]' '@(204|304)[!0-9]* ]]; then return 0
  elif [[ "$size" =~ ^[0-9]{1,4}$ ]]; then
    IFS= read -r -t $((end - SECONDS)) -N "$size" body <&3
    (( $? < 128 )) && printf %s "$body"
  else timeout $((end - SECONDS)) tail -c ${ANSWER_BYTES} <&3; fi
}`;

/** Shell functions that these checks use. */
export const checksPrelude = (checks: readonly HealthCheck[]): string[] => (checks.some(hasPlain) ? [PLAIN_HTTP] : []);

/**
 * The command of a check.
 *
 * @param file where it prints to, which it may empty to begin again
 */
export function checkCommand(check: HealthCheck, file: string): string {
  if ('command' in check) return check.command;
  if ('tcp' in check) return `timeout 3 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${check.tcp}'`;
  if ('records' in check) return 'false';
  const url = quote(check.http);
  // Asked at loopback, no certificate would do for its name.
  const any = check.http.startsWith('https:') ? ' -k' : '';
  const curl = `curl -sS${any} -o - -w '\\n%{http_code}' --noproxy '*' --max-time ${HTTP_SECONDS} ${url} 2>&1 | tail -c ${ANSWER_BYTES}`;
  const [, host, port = '80', path = '/'] = PLAIN.exec(check.http) ?? [];
  if (host === undefined) return curl;
  return `plain_http ${quote(host)} ${port} ${quote(path)} 2>/dev/null && exit\nexec 3>&-\n: >${file}\n${curl}`;
}

/** Converts the output of an HTTP check to curl's form: the body, and the status in a line of its own. */
export function parseCurlExit(printed: string): string {
  const [first, status] = /^HTTP\/1\.[01] (\d{3})[^\n]*\n/.exec(printed) ?? [];
  const end = first === undefined ? null : /\n\r?\n/.exec(printed);
  return end ? `${printed.slice(end.index + end[0].length)}\n${status}` : printed;
}
