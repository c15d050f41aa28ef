import type { HostShell } from './hosts.js';

/** What is no state of a host: the kernel's own, logs, caches, and the places of what is only for a while. */
const PASSING = ['/proc', '/sys', '/dev', '/run', '/tmp', '/var/tmp', '/var/log', '/var/cache', '/var/lib/apt'];

/** Files that programs write by themselves, each with the reason. */
const OWN_PACE = [
  // What dpkg knows of packages is asked of dpkg; the rest is its copies and locks.
  /^\/var\/lib\/dpkg(\/|$)/,
  // The former state of a file of accounts, which each change of an account writes.
  /^\/etc\/(passwd|shadow|group|gshadow|subuid|subgid)-$/,
  /^\/etc\/\.pwd\.lock$/,
  // Made of what lies in the folders of libraries, and of manual pages, menus and programs in Python.
  /^\/etc\/ld\.so\.cache$/,
  /\/__pycache__(\/|$)/,
  // When timers last ran, and what the kernel draws at random.
  /^\/var\/lib\/systemd\/(timers|random-seed|timesync|linger|catalog)(\/|$)/,
  /^\/var\/lib\/(logrotate|ucf|man-db|private)(\/|$)/,
];

/** What the files of a host may differ in, besides. */
export type MayDiffer = readonly RegExp[];

/**
 * The state of a whole host, a line for each thing: packages with their marks, files with owner, mode and content, units,
 * rules of the kernel, open ports. Two of them are compared by `differencesOf`.
 *
 * Size and time stand for the content of a package's programs.
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

/** What dpkg keeps of packages that were removed and not purged: their settings, and the folders of these. */
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

/** What is in one state and not in the other, as lines of a patch. Files that may differ are left out. */
export function differencesOf(before: readonly string[], after: readonly string[], mayDiffer: MayDiffer = []): string[] {
  const [was, is] = [new Set(before), new Set(after)];
  const lines = [
    ...before.filter((line) => !is.has(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !was.has(line)).map((line) => `+ ${line}`),
  ];
  return lines.filter((line) => !mayDiffer.some((one) => one.test(line)));
}
