import { sh } from '../../sdk/index.js';

/** File from which logrotate reads all rules. */
const WHOLE = '/etc/logrotate.conf';
const FOLDER = '/etc/logrotate.d';

/**
 * Bash that fails if logrotate refuses the rules of a file, by themselves or together with those of packages. If two
 * files name one log, logrotate skips the later file as a whole. Faults of other files do not count.
 *
 * @param conf the file, in `/etc/logrotate.d`
 */
export function checkRules(conf: string): string {
  const name = conf.slice(FOLDER.length + 1);
  return `${sh`own=$(logrotate -d ${conf} 2>&1) || { grep '^error' <<<"$own" || printf '%s\n' "$own"; exit 1; }`}
logs=$(sed -n 's/^considering log //p' <<<"$own")
${sh`all=$(logrotate -d ${WHOLE} 2>&1) || true`}
bad=
doubles=$(sed -nE 's/^error: ([^ ]+):[0-9]+ duplicate log entry for (.+)$/\\1 \\2/p' <<<"$all")
while read -r file log; do
  if ${sh`[ "$file" != ${name} ]`} && ! grep -qxF -- "$log" <<<"$logs"; then continue; fi
  bad=1
  for other in ${FOLDER}/*; do
    if ${sh`[ "$other" != ${conf} ]`} && grep -qxF -- "considering log $log" <<<"$(logrotate -d "$other" 2>&1 || true)"; then
      printf '%s is rotated by %s already: leave it out of the rules, or remove that file\\n' "$log" "$other"
    fi
  done
done <<<"$doubles"
if ${sh`grep ${`^error: ${name}:`} <<<"$all"`} || [ -n "$bad" ]; then exit 1; fi`;
}
