import type { Fact } from '../../../core/host/facts.js';
import { quote } from '../../../core/host/shell.js';
import { HOST_STATE } from '../paths.js';

/** Names that `sha256sum` writes as they are. */
const PLAIN = /^[\w./@-]+$/;

/**
 * Checks for all services whether each last started with the present content of its files; prints `fresh` for those.
 *
 * One `sha256sum` reads all files, and its output for each service is assembled from that. If the hash differs from
 * the recorded one, the service is checked in the way that the record was written.
 */
export function staleness(facts: readonly Fact<unknown>[]): string[] {
  const services = facts.flatMap((fact, index) => (fact.kind === 'service' && fact.reads.length > 0 ? [{ ...fact, index }] : []));
  if (services.length === 0) return [];
  const files = [...new Set(services.flatMap(({ reads }) => reads))].filter((path) => PLAIN.test(path)).map(quote);
  return [
    '(',
    'declare -A sum=() new=(); was=',
    `while read -r hash path; do sum[$path]=$hash; done < <(timeout 10 sha256sum -- ${files.join(' ')})`,
    `listing() {
  local path
  for path; do
    if [ -n "\${sum[$path]:-}" ]; then echo "\${sum[$path]}  $path"; else echo "sha256sum: $path: No such file or directory"; fi
  done
}`,
    ...services.map(({ reads, index }) => `listing ${reads.map(quote).join(' ')} >"$d/S-${index}"`),
    `while read -r hash path; do new[\${path##*/}]=$hash; done < <(sha256sum ${services.map(({ index }) => `"$d/S-${index}"`).join(' ')})`,
    ...services.map(
      ({ name, reads, index }) =>
        `read -r was <${HOST_STATE}/services/${quote(name)} && { [ "\${new[S-${index}]:-}" = "$was" ] || [ "$(${readsHash(reads)})" = "$was" ]; } && echo fresh >"$d/F-${index}.out"`,
    ),
    ') >/dev/null 2>&1 </dev/null 4>&- &',
    'jobs+=("S $!")',
  ];
}

/** A shell expression that prints one hash over the files a service reads, missing ones included. */
export function readsHash(reads: readonly string[]): string {
  return `{ timeout 10 sha256sum -- ${reads.map(quote).join(' ')} 2>&1 || true; } | sha256sum | { read -r hash _; echo "$hash"; }`;
}
