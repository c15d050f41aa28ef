import type { Ran } from './cell.js';

/** Returns the commands that bash, env or a wrapper did not find. */
export const unknownIn = (said: string): string[] =>
  [...said.matchAll(/([\w@%+.,/-]+)['’]?: (?:command not found|not found|No such file or directory)$/gm)].flatMap(
    ([, path = '']) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return path.includes('/') ? [] : [name];
    },
  );

/** Error messages of programs about a path. */
const AMISS = /(?:^|[ '"])(\/[\w.@+/-]+)['"]?: (No such file or directory|[Ii]s a directory|Not a directory)$/;

/** Returns bash that creates what a script did not find: files with a text, folders, programs, and variables. */
export const missedIn = ({ said, exit }: Ran): string[] =>
  said.split('\n').flatMap((line) => {
    const [, variable] = /: (\w+): unbound variable$/.exec(line) ?? [];
    if (variable) return [`variables+=(${variable}=1)`];
    const [, listed] = /^\/real\/ls: cannot access '(\/[\w.@+/-]+)'/.exec(line) ?? [];
    if (listed) return [`rm -rf ${listed}; mkdir -p ${listed}`];
    // A text is not executable.
    const [, program, isText] = /: exec: (\/\S+): (?:not found|(Permission denied))$/.exec(line) ?? [];
    if (isText) return [`rm -rf ${program}; ln -s /real/stand-in ${program}`];
    const [, path = program, why] = AMISS.exec(line) ?? [];
    if (!path || path.startsWith('/real/') || path.startsWith('/exchange/')) return [];
    const holder = path.slice(0, path.lastIndexOf('/'));
    if (why === 'Not a directory') return [`rm -rf ${holder}; mkdir -p ${holder}`];
    const isProgram = exit === 126 || exit === 127;
    return [`rm -rf ${path}; mkdir -p ${holder || '/'}; ${isProgram ? `ln -s /real/stand-in ${path}` : `echo text >${path}`}`];
  });

/** Literal path in a script, in a place that scripts change. */
const PLACE = /(?<![\w$}\]>*])\/(?:etc|var|root|run|opt|srv|home|mnt|usr\/s?bin|usr\/lib|usr\/share|usr\/local)\/[\w.@+/-]*\w/g;

/** Contents of a journal's files by kind. */
const KEPT: Record<string, string> = { was: '755 root:root', service: 'active enabled' };

/** Returns bash that creates the world of a script: the folders of its paths and, in a full world, the paths too. */
export function world(script: string, isFull: boolean): string {
  const paths = [...new Set([...script.matchAll(PLACE)].map(([path]) => path))];
  const programs = paths.filter((path) => /\/s?bin\/[^/]*$|\/apt-helper$/.test(path));
  const others = paths.filter((path) => !programs.includes(path));
  const folders = others.filter((path) => others.some((other) => other.startsWith(`${path}/`)) || !/\.\w+$/.test(path));
  const files = others.filter((path) => !folders.includes(path));
  const kept = [...script.matchAll(/"\$([JA])\/former\/(\d+)"\.([\w-]+)/g)].flatMap(([, of = '', step = '', kind = '']) =>
    /saved|absent|draft|sealed/.test(kind) ? [] : [[`/${of}/former/${step}.${kind}`, KEPT[kind] ?? 'text'] as const],
  );
  const holders = [...new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/'))))].filter(Boolean);
  return `${[
    ...[...script.matchAll(/"\$([JA])\/files\/(\d+\.\w+)"/g)].map(
      ([, of, name]) => `mkdir -p /${of}/files; echo ${name?.endsWith('.content') ? 'text' : ':'} >/${of}/files/${name}`,
    ),
    `mkdir -p -- /J/former /J/files /A/former /A/files /etc/apt /var/tmp /var/lib /root /run /tmp /usr/lib /usr/local/bin ${holders.join(' ')}`,
    'for at in {0..60}; do echo "start $at"; done >/A/steps',
    "echo 'root:x:0:0:root:/root:/bin/bash' >/etc/passwd",
    "echo 'root:x:0:' >/etc/group",
    'printf \'ID=debian\\nVERSION_ID="12"\\nVERSION_CODENAME=bookworm\\n\' >/etc/os-release',
    ...programs.map((path) => `[ -e ${path} ] || ln -s /real/stand-in ${path}`),
    ...(isFull
      ? [
          ...(folders.length > 0 ? [`mkdir -p -- ${folders.join(' ')}`] : []),
          ...files.map((path) => `[ -e ${path} ] || echo text >${path}`),
          ...kept.map(([path, text]) => `echo '${text}' >${path}`),
        ]
      : []),
  ].join('\n')}\n`;
}
