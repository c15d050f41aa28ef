import type { HostShell } from './hosts.js';

/** Paths that are not state of a host: kernel file systems, logs, caches and temporary files. */
const PASSING = ['/proc', '/sys', '/dev', '/run', '/tmp', '/var/tmp', '/var/log', '/var/cache', '/var/lib/apt'];

/** Files that programs write on their own, each with the reason. */
const OWN_PACE = [
  // The state of packages is queried through dpkg. The rest is its copies and locks.
  /^\/var\/lib\/dpkg(\/|$)/,
  // Backup of an account file, which each change of an account writes.
  /^\/etc\/(passwd|shadow|group|gshadow|subuid|subgid)-$/,
  /^\/etc\/\.pwd\.lock$/,
  // Generated from the folders of libraries, manual pages, menus and Python programs.
  /^\/etc\/ld\.so\.cache$/,
  /\/__pycache__(\/|$)/,
  // Last runs of timers, and random data of the kernel.
  /^\/var\/lib\/systemd\/(timers|random-seed|timesync|linger|catalog)(\/|$)/,
  /^\/var\/lib\/(logrotate|ucf|man-db|private)(\/|$)/,
];

/** Further differences that files of a host may have. */
export type MayDiffer = readonly RegExp[];

/**
 * Returns the state of a whole host, one line per item. Items are packages with their marks, files with owner, mode
 * and content, units, kernel rules, and open ports. `differencesOf` compares two states.
 *
 * Size and time represent the content of a package's programs.
 */
export async function stateOfHost(shell: HostShell): Promise<string[]> {
  const pruned = PASSING.map((path) => `-path ${path}`).join(' -o ');
  const text = await shell(`export LC_ALL=C
dpkg-query -W -f 'package \${Package} \${Version} \${db:Status-Abbrev}\\n'
apt-mark showauto | sed 's/^/mark auto /'; apt-mark showmanual | sed 's/^/mark manual /'
apt-mark showhold | sed 's/^/mark hold /'
find / -xdev \\( ${pruned} \\) -prune -o \\
  -type f -path '/usr/*' -printf 'file %p: %m %U:%G %s %T@\\n' -o \\
  -type l -printf 'link %p: %U:%G %l\\n' -o -type d -printf 'folder %p: %m %U:%G\\n' -o -printf 'file %p: %m %U:%G\\n'
find / -xdev \\( ${pruned} -o -path /usr \\) -prune -o -type f -exec sha256sum {} + | awk '{sum=$1; sub(/^[^ ]+ +/, ""); print "content " $0 ": " sum}'
getent passwd | sed 's/:.*//; s/^/account /'; getent group | sed 's/:.*//; s/^/group /'
systemctl list-unit-files --no-legend --no-pager | awk '{print "unit-file " $1 ": " $2}'
systemctl list-units --all --no-legend --no-pager --plain --type=service,socket,timer,path | awk '{print "unit " $1 ": " $2 " " $3}'
{ nft -s list ruleset 2>/dev/null || true; } | sed 's/^/rule /'
ss -Hlntu | awk '{print "port " $1 " " $5}'
printf 'zone %s\\n' "$(readlink -f /etc/localtime)"
sysctl -a 2>/dev/null | grep -E '^(net\\.(core|ipv4\\.(conf\\.all|tcp_sync)|ipv6\\.conf\\.all)|kernel\\.(dmesg|kptr|yama)|fs\\.(protected|suid)|vm\\.swap)' | sed 's/^/kernel /' || true`);
  const path = (line: string) => /^(?:file|link|folder|content) (.*): /.exec(line)?.[1] ?? '';
  return [...new Set(text.split('\n'))].filter((line) => !OWN_PACE.some((own) => own.test(path(line)))).sort();
}

/** Returns the files that dpkg keeps of removed but not purged packages: their settings and folders. */
export async function keptOfPackages(shell: HostShell): Promise<RegExp[]> {
  const text = await shell(
    `dpkg-query -W -f '\${db:Status-Abbrev}\\n\${Conffiles}\\n' | awk '/^[a-z]/{rc = /^rc/} rc && $1 ~ "^/"{print $1}'`,
  );
  const files = text.split('\n').filter(Boolean);
  const folders = files.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index).join('/')));
  return [...new Set([...files, ...folders])].map(
    (path) => new RegExp(`^. (file|content|folder|link) ${path.replace(/[.+?*()[\]{}^$|\\]/g, '\\$&')}: `),
  );
}

/** Returns the differences between two states as lines of a patch. Files that may differ are left out. */
export function differencesOf(before: readonly string[], after: readonly string[], mayDiffer: MayDiffer = []): string[] {
  const [was, is] = [new Set(before), new Set(after)];
  const lines = [
    ...before.filter((line) => !is.has(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !was.has(line)).map((line) => `+ ${line}`),
  ];
  return lines.filter((line) => !mayDiffer.some((one) => one.test(line)));
}
